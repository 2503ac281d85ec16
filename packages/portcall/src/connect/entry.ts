import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { ConfigError } from './config-error.ts'
import type { Command } from './target.ts'
import { expand, type Variables } from './variables.ts'

/** What one entry of a configuration says: where the server is, and the headers of its requests when it has a URL. */
export interface Entry {
  readonly target: Command | URL
  readonly headers?: Readonly<Record<string, string>>
}

/** How kinds are called by the programs that read such files. */
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

/** Tells whether an entry is switched off. */
export function isDisabled(entry: unknown): boolean {
  return isObject(entry) && (entry.disabled === true || entry.enabled === false)
}

/** Reads one entry. @throws ConfigError that names the field. */
export function readEntry(entry: unknown, variables: Variables): Entry {
  if (!isObject(entry)) throw new ConfigError('has to be an object')
  return kindOf(entry) === 'command' ? { target: readCommand(entry, variables) } : readRemote(entry, variables)
}

function kindOf(entry: JsonObject): 'command' | 'url' {
  const { type } = entry
  const hasCommand = entry.command !== undefined
  const hasUrl = URL_FIELDS.some((field) => entry[field] !== undefined)
  const said = typeof type === 'string' && Object.hasOwn(TYPES, type) ? TYPES[type] : undefined
  if (type !== undefined && !said) throw new ConfigError(`type has to be one of ${Object.keys(TYPES).join(', ')}`)
  if (said === 'command' ? !hasCommand : said === 'url' && !hasUrl)
    throw new ConfigError(said === 'command' ? 'has a type that needs a command' : 'has a type that needs a url')
  if (said) return said
  if (hasCommand === hasUrl) throw new ConfigError(hasCommand ? 'has both a command and a url' : 'needs a command or a url')
  return hasCommand ? 'command' : 'url'
}

/** `command` with `args`; a list of both; or `{ path, args, env }`. */
function readCommand(entry: JsonObject, variables: Variables): Command {
  const { command } = entry
  if (isObject(command)) return readCommand({ ...entry, ...command, command: command.path }, variables)
  const [first, ...rest] = Array.isArray(command) ? texts(command, 'command', variables) : [text(command, 'command', variables)]
  if (!first) throw new ConfigError('command has to be a text that is not empty')
  const args = entry.args == null ? [] : texts(entry.args, 'args', variables)
  const env = record(entry.env ?? entry.environment, 'env', variables)
  return { command: first, args: [...rest, ...args], env, ...(entry.cwd != null && { cwd: text(entry.cwd, 'cwd', variables) }) }
}

function readRemote(entry: JsonObject, variables: Variables): Entry {
  const field = URL_FIELDS.find((name) => entry[name] !== undefined) ?? 'url'
  const url = text(entry[field], field, variables)
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) throw new ConfigError(`${field} has to be an http(s) URL`)
  return { target: new URL(url), headers: record(entry.headers, 'headers', variables) }
}

function text(value: unknown, field: string, variables: Variables): string {
  if (typeof value !== 'string') throw new ConfigError(`${field} has to be a text`)
  return expand(value, field, variables)
}

function texts(value: unknown, field: string, variables: Variables): string[] {
  if (!Array.isArray(value)) throw new ConfigError(`${field} has to be a list of texts`)
  return value.map((one, at) => text(one, `${field}[${at}]`, variables))
}

/** Numbers and booleans become text, as they do in an environment. */
function record(value: unknown, field: string, variables: Variables): Record<string, string> {
  if (value == null) return {}
  if (!isObject(value)) throw new ConfigError(`${field} has to be an object of texts`)
  const entries = Object.entries(value).map(([name, one]) => {
    const plain = typeof one === 'number' || typeof one === 'boolean' ? String(one) : one
    return [name, text(plain, `${field}.${name}`, variables)]
  })
  return Object.fromEntries(entries) as Record<string, string>
}
