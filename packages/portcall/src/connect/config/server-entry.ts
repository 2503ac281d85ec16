import { closestName } from '../../../../util/src/closest-name.ts'
import { parseUrl } from '../../../../util/src/parse-url.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import type { StdioTarget } from '../target.ts'
import { FILTER_FIELDS } from './host-settings.ts'
import type { ToolFilter } from './tool-filter.ts'
import { expandVariables, FieldError, readEnvFile, type VariableSource } from './variables.ts'

/** A configured server: its target, and the headers of its requests if the target is a URL. */
export interface ServerEntry {
  readonly target: StdioTarget | URL
  readonly headers?: Readonly<Record<string, string>>
  /** The tools that the configuration leaves on. Absent: all. */
  readonly tools?: ToolFilter
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

/** The values of `type` for what is built into a host, and no server. */
const BUILT_IN_TYPES: readonly unknown[] = ['builtin', 'platform', 'frontend', 'inline_python']

/** The names of one field in the formats of various hosts. The first one that an entry has counts. */
const URL_FIELDS = ['url', 'serverUrl', 'httpUrl', 'uri', 'baseUrl'] as const
const COMMAND_FIELDS = ['command', 'cmd'] as const
const ENV_FIELDS = ['env', 'environment', 'envs'] as const
const HEADER_FIELDS = ['headers', 'http_headers'] as const

/** The fields that tell an entry from a group of entries. */
export const TARGET_FIELDS: readonly string[] = [...COMMAND_FIELDS, ...URL_FIELDS]

/** The fields that switch an entry off, and the value that does. */
const SWITCHES: { readonly [field: string]: boolean } = { disabled: true, enabled: false, isActive: false }

/** The fields of an entry. Hosts have more, which are ignored. */
const FIELDS: readonly string[] = [
  ...TARGET_FIELDS,
  ...ENV_FIELDS,
  ...HEADER_FIELDS,
  ...['type', 'args', 'cwd', 'envFile', 'env_vars', 'env_keys', 'env_http_headers', 'bearer_token_env_var', 'requestOptions'],
  ...Object.keys(SWITCHES),
  ...FILTER_FIELDS,
]

/** Returns the fields that are probably misspelled, and what to do about each. */
export function findMisspelled(
  entry: unknown,
  known: readonly string[] = FIELDS,
): { readonly field: string; readonly advice: string }[] {
  return Object.keys(isObject(entry) ? entry : {}).flatMap((field) => {
    const closest = FIELDS.includes(field) ? undefined : closestName(field, known)
    return closest === undefined ? [] : [{ field, advice: `${field} is not a known key; did you mean ${closest}?` }]
  })
}

/** Reports whether an entry is switched off. @throws FieldError for a switch that is neither on nor off, such as the text `"false"`. */
export function isDisabled(entry: unknown): boolean {
  if (!isObject(entry)) return false
  for (const field of Object.keys(SWITCHES))
    if (entry[field] != null && typeof entry[field] !== 'boolean') throw new FieldError(field, `${field} must be true or false`)
  return Object.entries(SWITCHES).some(([field, off]) => entry[field] === off)
}

/** Reports whether an entry is a part of its host, or refers to an extension that only the host can start, as in Zed and Continue. */
export function isBuiltIn(entry: unknown): boolean {
  if (!isObject(entry)) return false
  const isReference = entry.source === 'extension' || typeof entry.uses === 'string' || isObject(entry.settings)
  return BUILT_IN_TYPES.includes(entry.type) || (isReference && !TARGET_FIELDS.some((field) => entry[field] != null))
}

/** Reads one entry. @throws FieldError that names the invalid field. */
export function readServerEntry(entry: unknown, source: VariableSource): ServerEntry {
  if (!isObject(entry)) throw new FieldError('', 'it must be an object')
  return kindOf(entry) === 'command' ? { target: readCommand(entry, source) } : readRemote(entry, source)
}

function kindOf(entry: JsonObject): 'command' | 'url' {
  const { type } = entry
  const hasCommand = fieldOf(entry, COMMAND_FIELDS) !== undefined
  const hasUrl = fieldOf(entry, URL_FIELDS) !== undefined
  const kind = typeof type === 'string' && Object.hasOwn(TYPES, type) ? TYPES[type] : undefined
  const [misspelled] = hasCommand || hasUrl ? [] : findMisspelled(entry, TARGET_FIELDS)
  if (misspelled) throw new FieldError(misspelled.field, misspelled.advice)
  if (type !== undefined && !kind) throw new FieldError('type', `type must be one of ${Object.keys(TYPES).join(', ')}`)
  if (kind === 'command' && !hasCommand) throw new FieldError('type', 'its type requires a command')
  if (kind === 'url' && !hasUrl) throw new FieldError('type', 'its type requires a url')
  if (kind) return kind
  if (hasCommand === hasUrl)
    throw new FieldError('', hasCommand ? 'it has both a command and a url' : 'it needs a command or a url')
  return hasCommand ? 'command' : 'url'
}

/** Returns the name of the first field that an entry has. */
function fieldOf(entry: JsonObject, names: readonly string[]): string | undefined {
  return names.find((name) => entry[name] != null)
}

/** Reads `command` with `args`, an array of both, or `{ path, args, env }`. */
function readCommand(entry: JsonObject, source: VariableSource): StdioTarget {
  const field = fieldOf(entry, COMMAND_FIELDS) ?? 'command'
  const command = entry[field]
  if (isObject(command)) return readCommand({ ...entry, ...command, command: command.path }, source)
  const env = readEnv(entry, source)
  const ownEnv = new Set(Object.keys(env))
  const [first, ...rest] = Array.isArray(command)
    ? readStrings(command, { field, source, ownEnv })
    : [readString(command, { field, source })]
  if (!first) throw new FieldError(field, `${field} must not be empty`)
  const args = entry.args == null ? [] : readStrings(entry.args, { field: 'args', source, ownEnv })
  const cwd =
    entry.cwd == null ? source.directory : resolveFrom(source.directory, readString(entry.cwd, { field: 'cwd', source }))
  return { command: first, args: [...rest, ...args], env, ...(cwd !== undefined && { cwd }) }
}

/** Resolves a path. Without a directory, it is left to the system. */
function resolveFrom(directory: string | undefined, path: string): string {
  const isAbsolute = /^(?:[\\/]|[A-Za-z]:[\\/])/.test(path)
  return directory === undefined || isAbsolute ? path : `${directory}/${path.replace(/^\.[\\/]/, '')}`
}

/** Reads the variables of a program: of `envFile`, those that are passed on by name, and of `env`. */
function readEnv(entry: JsonObject, source: VariableSource): Record<string, string> {
  const file = entry.envFile == null ? {} : readEnvFile(readString(entry.envFile, { field: 'envFile', source }), source)
  const field = fieldOf(entry, ENV_FIELDS) ?? 'env'
  return { ...file, ...readForwarded(entry, source), ...readRecord(entry[field], { field, source }) }
}

/** Reads `env_vars`, the names of variables to pass on if they are set, and `env_keys`, the names of secrets. */
function readForwarded({ env_vars: optional, env_keys: secrets }: JsonObject, source: VariableSource): Record<string, string> {
  const names = (Array.isArray(optional) ? optional : []).map((one: unknown) => (isObject(one) ? one.name : one))
  const set = names.filter((name): name is string => typeof name === 'string' && source.env[name] !== undefined)
  const keys = secrets == null ? [] : readStrings(secrets, { field: 'env_keys', source })
  const values = set.map((name) => [name, source.env[name] ?? ''] as const)
  for (const [name, value] of values) source.onVariable?.(value, `\${${name}}`)
  const more = keys.map((key, at) => [key, expandVariables(`\${${key}}`, { field: `env_keys[${at}]`, source })])
  return Object.fromEntries([...values, ...more]) as Record<string, string>
}

function readRemote(entry: JsonObject, source: VariableSource): ServerEntry {
  const field = fieldOf(entry, URL_FIELDS) ?? 'url'
  const url = readString(entry[field], { field, source })
  if (!/^https?:$/.test(parseUrl(url)?.protocol ?? '')) throw new FieldError(field, `${field} must be an http(s) URL`)
  return { target: new URL(url), headers: readHeaders(entry, source) }
}

/** Reads the headers, including those whose values are in environment variables. */
function readHeaders(entry: JsonObject, source: VariableSource): Record<string, string> {
  const field = fieldOf(entry, HEADER_FIELDS) ?? 'headers'
  const nested = isObject(entry.requestOptions) ? entry.requestOptions.headers : undefined
  const fromEnv = isObject(entry.env_http_headers) ? Object.entries(entry.env_http_headers) : []
  const { bearer_token_env_var: token } = entry
  return {
    ...readRecord(nested, { field: 'requestOptions.headers', source }),
    ...Object.fromEntries(fromEnv.map(([name, variable]) => [name, readVariable(variable, `env_http_headers.${name}`, source)])),
    ...readRecord(entry[field], { field, source }),
    ...(token != null && { authorization: `Bearer ${readVariable(token, 'bearer_token_env_var', source)}` }),
  }
}

/** Reads the variable that a field names. */
function readVariable(name: unknown, field: string, source: VariableSource): string {
  if (typeof name !== 'string' || !/^[A-Za-z_]\w*$/.test(name))
    throw new FieldError(field, `${field} must be the name of a variable`)
  return expandVariables(`\${${name}}`, { field, source })
}

type FieldOptions = Parameters<typeof expandVariables>[1]

function readString(value: unknown, options: FieldOptions): string {
  if (typeof value !== 'string') throw new FieldError(options.field, `${options.field} must be a string`)
  return expandVariables(value, options)
}

function readStrings(value: unknown, options: FieldOptions): string[] {
  const { field } = options
  if (!Array.isArray(value)) throw new FieldError(field, `${field} must be an array of strings`)
  return value.map((item, index) => readString(item, { ...options, field: `${field}[${index}]` }))
}

/** Reads an object of strings. Numbers and booleans are converted, as in an environment. */
function readRecord(value: unknown, options: FieldOptions): Record<string, string> {
  const { field } = options
  if (value == null) return {}
  if (!isObject(value)) throw new FieldError(field, `${field} must be an object of strings`)
  const entries = Object.entries(value).map(([name, member]) => {
    const converted = typeof member === 'number' || typeof member === 'boolean' ? String(member) : member
    return [name, readString(converted, { ...options, field: `${field}.${name}` })]
  })
  return Object.fromEntries(entries) as Record<string, string>
}
