import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { ConfigError } from './errors.ts'
import { type ConfigVariables, isDisabled, readServerEntry, type ServerEntry } from './server-entry.ts'

/** One server of a configuration: usable, disabled or invalid. */
export type ServerConfig = {
  /** The key of the server in the configuration. */
  readonly name: string
} & (
  | ServerEntry
  | {
      /** The configuration disables the server. */
      readonly disabled: true
    }
  | {
      /** What is wrong with the configuration of the server. */
      readonly error: ConfigError
    }
)

/** The servers of a configuration, in its order. */
export interface Config {
  /** The servers: usable, disabled or invalid. */
  readonly servers: readonly ServerConfig[]
  /** Describes the servers and fields that are ignored. */
  readonly warnings: readonly string[]
}

/** The values of variables. Default: the environment of the process, and no inputs. */
export type ReadConfigOptions = Partial<ConfigVariables>

/** The members that hold the servers, in the formats of various hosts. */
const KEYS = ['mcpServers', 'servers', 'mcp', 'context_servers'] as const

/** Fields that would change how a server is started, and are not supported. */
const IGNORED_FIELDS = ['envFile'] as const

/**
 * Reads the MCP configuration of a host, as text (comments and trailing commas are allowed) or parsed. The servers may be under
 * `mcpServers`, `servers`, `mcp`, `mcp.servers` or `context_servers`. An invalid entry does not affect the others: its error is returned
 * in its place.
 *
 * @throws ConfigError when the text is not JSON, or contains no servers.
 */
export async function readConfig(config: string | object, options: ReadConfigOptions = {}): Promise<Config> {
  const { env = environment(), inputs = {} } = options
  const root = typeof config === 'string' ? (await import('./jsonc.ts')).parseJsonc(config) : config
  const entries = findEntries(root)
  if (!entries) throw new ConfigError(`The configuration has none of the members ${KEYS.join(', ')}`)
  const servers = entries.map(([name, entry]) => readServer(name, entry, { env, inputs }))
  return { servers, warnings: [...servers.flatMap(disabledWarning), ...entries.flatMap(ignoredFieldWarnings)] }
}

/** Returns the entries of all members that hold servers. The first entry of a name wins. */
function findEntries(root: unknown): [string, unknown][] | undefined {
  if (!isObject(root)) return undefined
  const groups = KEYS.map((key) => unwrap(root[key])).filter((group) => group !== undefined)
  const entries = new Map<string, unknown>()
  for (const [name, entry] of groups.flatMap((group) => Object.entries(group))) if (!entries.has(name)) entries.set(name, entry)
  return groups.length > 0 ? [...entries] : undefined
}

/** Treats `{ mcp: { servers } }` as `{ mcp }`. */
function unwrap(value: unknown): JsonObject | undefined {
  if (!isObject(value)) return undefined
  const { servers, mcpServers } = value
  const nested = [servers, mcpServers].find((member) => isObject(member) && !isEntry(member))
  return isObject(nested) ? nested : value
}

/** Distinguishes a server named `servers` from a group of servers. */
function isEntry(value: JsonObject): boolean {
  return ['command', 'url', 'serverUrl', 'httpUrl'].some(
    (field) => typeof value[field] === 'string' || Array.isArray(value[field]),
  )
}

function readServer(name: string, entry: unknown, variables: ConfigVariables): ServerConfig {
  if (isDisabled(entry)) return { name, disabled: true }
  try {
    return { name, ...readServerEntry(entry, variables) }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { name, error: new ConfigError(`The server ${name} has an invalid configuration: ${error.message}`) }
  }
}

function disabledWarning(server: ServerConfig): string[] {
  return 'disabled' in server ? [`The server ${server.name} is disabled`] : []
}

function ignoredFieldWarnings([name, entry]: [string, unknown]): string[] {
  if (!isObject(entry) || isDisabled(entry)) return []
  return IGNORED_FIELDS.filter((field) => entry[field] !== undefined).map(
    (field) => `The field ${field} of the server ${name} is ignored`,
  )
}

/** Returns the environment of the process; empty on platforms that have none. */
function environment(): ConfigVariables['env'] {
  const { process } = globalThis as { process?: { env?: ConfigVariables['env'] } }
  return process?.env ?? {}
}
