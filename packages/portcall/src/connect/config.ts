import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { ConfigError } from './config-error.ts'
import { type Entry, isDisabled, readEntry } from './entry.ts'
import type { Variables } from './variables.ts'

/** One server of a configuration: ready to be connected to, switched off, or not usable. */
export type ServerConfig = { readonly name: string } & (Entry | { readonly disabled: true } | { readonly error: ConfigError })

/** The servers that a configuration names, in its order. */
export interface Config {
  readonly servers: readonly ServerConfig[]
  /** What was left out, in words. */
  readonly notes: readonly string[]
}

/** Values of the variables; by default those of the environment, and no inputs. */
export type ReadConfigOptions = Partial<Variables>

/** Where programs keep their servers. */
const KEYS = ['mcpServers', 'servers', 'mcp', 'context_servers'] as const

/** Fields that would change how a server is started, and are not read. */
const UNREAD = ['envFile'] as const

/**
 * Reads the configuration of other programs as it is: their text, with comments and trailing commas, or what was parsed of it. It finds
 * `mcpServers`, `servers`, `mcp` (also `mcp.servers`) and `context_servers`. An entry that cannot be used hurts nobody else: its
 * error is kept in its place.
 *
 * @throws ConfigError when the text is not JSON, or names no servers.
 */
export async function readConfig(config: string | object, options: ReadConfigOptions = {}): Promise<Config> {
  const { env = environment(), inputs = {} } = options
  const root = typeof config === 'string' ? (await import('./jsonc.ts')).parseJsonc(config) : config
  const entries = findEntries(root)
  if (!entries) throw new ConfigError(`The configuration has no ${KEYS.join(', ')}`)
  const servers = entries.map(([name, entry]) => readServer(name, entry, { env, inputs }))
  return { servers, notes: [...servers.flatMap(skipped), ...entries.flatMap(unread)] }
}

/** The entries of all the places there are; of two with one name the first counts. */
function findEntries(root: unknown): [string, unknown][] | undefined {
  if (!isObject(root)) return undefined
  const places = KEYS.map((key) => inner(root[key])).filter((place) => place !== undefined)
  const found = new Map<string, unknown>()
  for (const [name, entry] of places.flatMap((place) => Object.entries(place))) if (!found.has(name)) found.set(name, entry)
  return places.length > 0 ? [...found] : undefined
}

/** `{ mcp: { servers } }` is as good as `{ mcp }`. */
function inner(value: unknown): JsonObject | undefined {
  if (!isObject(value)) return undefined
  const { servers, mcpServers } = value
  const nested = [servers, mcpServers].find((one) => isObject(one) && !isEntry(one))
  return isObject(nested) ? nested : value
}

/** A server may be called `servers`. */
function isEntry(value: JsonObject): boolean {
  return ['command', 'url', 'serverUrl', 'httpUrl'].some(
    (field) => typeof value[field] === 'string' || Array.isArray(value[field]),
  )
}

function readServer(name: string, entry: unknown, variables: Variables): ServerConfig {
  if (isDisabled(entry)) return { name, disabled: true }
  try {
    return { name, ...readEntry(entry, variables) }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { name, error: new ConfigError(`The server ${name} cannot be used: ${error.message}`) }
  }
}

function skipped(server: ServerConfig): string[] {
  return 'disabled' in server ? [`The server ${server.name} is disabled`] : []
}

function unread([name, entry]: [string, unknown]): string[] {
  if (!isObject(entry) || isDisabled(entry)) return []
  return UNREAD.filter((field) => entry[field] !== undefined).map(
    (field) => `The field ${field} of the server ${name} is not read`,
  )
}

/** The environment of the process, where there is one. */
function environment(): Variables['env'] {
  const { process } = globalThis as { process?: { env?: Variables['env'] } }
  return process?.env ?? {}
}
