import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import type { StdioTarget } from '../target.ts'
import { ConfigError } from './errors.ts'

/** A configured server: its target, and the headers of its requests if the target is a URL. */
export interface ServerEntry {
  readonly target: StdioTarget | URL
  readonly headers?: Readonly<Record<string, string>>
}

/** The values of variables. */
export interface ConfigVariables {
  readonly env: { readonly [name: string]: string | undefined }
  /** Values of `${input:id}`, for which some editors prompt the user. */
  readonly inputs: { readonly [id: string]: string | undefined }
}

/** The values of `type` that hosts use. */
const TYPES: { readonly [type: string]: 'command' | 'url' } = {
  stdio: 'command',
  local: 'command',
  http: 'url',
  sse: 'url',
  'streamable-http': 'url',
  streamableHttp: 'url',
  streamable_http: 'url',
  remote: 'url',
}

const URL_FIELDS = ['url', 'serverUrl', 'httpUrl'] as const

export function isDisabled(entry: unknown): boolean {
  return isObject(entry) && (entry.disabled === true || entry.enabled === false)
}

/** Reads one entry. @throws ConfigError that names the invalid field. */
export function readServerEntry(entry: unknown, variables: ConfigVariables): ServerEntry {
  if (!isObject(entry)) throw new ConfigError('it must be an object')
  return kindOf(entry) === 'command' ? { target: readCommand(entry, variables) } : readRemote(entry, variables)
}

function kindOf(entry: JsonObject): 'command' | 'url' {
  const { type } = entry
  const hasCommand = entry.command !== undefined
  const hasUrl = URL_FIELDS.some((field) => entry[field] !== undefined)
  const kind = typeof type === 'string' && Object.hasOwn(TYPES, type) ? TYPES[type] : undefined
  if (type !== undefined && !kind) throw new ConfigError(`type must be one of ${Object.keys(TYPES).join(', ')}`)
  if (kind === 'command' && !hasCommand) throw new ConfigError('its type requires a command')
  if (kind === 'url' && !hasUrl) throw new ConfigError('its type requires a url')
  if (kind) return kind
  if (hasCommand === hasUrl) throw new ConfigError(hasCommand ? 'it has both a command and a url' : 'it needs a command or a url')
  return hasCommand ? 'command' : 'url'
}

/** Reads `command` with `args`, an array of both, or `{ path, args, env }`. */
function readCommand(entry: JsonObject, variables: ConfigVariables): StdioTarget {
  const { command } = entry
  if (isObject(command)) return readCommand({ ...entry, ...command, command: command.path }, variables)
  const [first, ...rest] = Array.isArray(command)
    ? readStrings(command, 'command', variables)
    : [readString(command, 'command', variables)]
  if (!first) throw new ConfigError('command must not be empty')
  const args = entry.args == null ? [] : readStrings(entry.args, 'args', variables)
  const env = readRecord(entry.env ?? entry.environment, 'env', variables)
  const cwd = entry.cwd != null && { cwd: readString(entry.cwd, 'cwd', variables) }
  return { command: first, args: [...rest, ...args], env, ...cwd }
}

function readRemote(entry: JsonObject, variables: ConfigVariables): ServerEntry {
  const field = URL_FIELDS.find((name) => entry[name] !== undefined) ?? 'url'
  const url = readString(entry[field], field, variables)
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) throw new ConfigError(`${field} must be an http(s) URL`)
  return { target: new URL(url), headers: readRecord(entry.headers, 'headers', variables) }
}

function readString(value: unknown, field: string, variables: ConfigVariables): string {
  if (typeof value !== 'string') throw new ConfigError(`${field} must be a string`)
  return expandVariables(value, field, variables)
}

function readStrings(value: unknown, field: string, variables: ConfigVariables): string[] {
  if (!Array.isArray(value)) throw new ConfigError(`${field} must be an array of strings`)
  return value.map((item, index) => readString(item, `${field}[${index}]`, variables))
}

/** Reads an object of strings. Numbers and booleans are converted, as in an environment. */
function readRecord(value: unknown, field: string, variables: ConfigVariables): Record<string, string> {
  if (value == null) return {}
  if (!isObject(value)) throw new ConfigError(`${field} must be an object of strings`)
  const entries = Object.entries(value).map(([name, member]) => {
    const converted = typeof member === 'number' || typeof member === 'boolean' ? String(member) : member
    return [name, readString(converted, `${field}.${name}`, variables)]
  })
  return Object.fromEntries(entries) as Record<string, string>
}

/** Matches `${NAME}`, `${NAME:-default}`, `${env:NAME}` and `${input:id}`. Other text in braces is left alone. */
const VARIABLE = /\$\{(?:(env|input):)?([A-Za-z_][\w.-]*)(?::-([^{}]*))?\}/g

/**
 * Replaces variables with their values. Values are not expanded again. As in a shell, a default also replaces an empty value.
 *
 * @throws ConfigError that names the field and the variable, when there is neither a value nor a default.
 */
function expandVariables(text: string, field: string, { env, inputs }: ConfigVariables): string {
  return text.replace(VARIABLE, (_match, ...groups: (string | undefined)[]) => {
    const [kind, name = '', fallback] = groups
    const values = kind === 'input' ? inputs : env
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    const expanded = fallback === undefined ? value : value || fallback
    if (expanded !== undefined) return expanded
    throw new ConfigError(
      kind === 'input'
        ? `${field} needs the input ${name}, which is missing`
        : `${field} needs the variable ${name}, which is not set`,
    )
  })
}
