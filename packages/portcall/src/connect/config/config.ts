import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { type ConfigDocument, type ConfigFormat, type ConfigPath, formatPosition, parseDocument } from './document.ts'
import { ConfigError } from './errors.ts'
import { isBuiltIn, isDisabled, readServerEntry, type ServerEntry, TARGET_FIELDS } from './server-entry.ts'
import { type ConfigVariables, FieldError, noFiles, type VariableSource } from './variables.ts'

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

/** How to read a configuration. Default: the environment of the process, no inputs, and the format that the text starts like. */
export type ReadConfigOptions = Partial<ConfigVariables> & {
  /** The format of the text. */
  readonly format?: ConfigFormat
}

/** The members that hold the servers, in the formats of various hosts. The last two are members of objects in some hosts' settings. */
const KEYS = [
  'mcpServers',
  'servers',
  'mcp',
  'context_servers',
  'mcp_servers',
  'extensions',
  'mcp.servers',
  'amp.mcpServers',
] as const

/** An entry of a server, and where it is in the configuration. */
interface LocatedEntry {
  readonly name: string
  readonly entry: unknown
  readonly path: ConfigPath
}

/**
 * Reads the MCP configuration of a host, as text (JSON with comments, TOML or YAML) or parsed. The servers may be under `mcpServers`,
 * `servers`, `mcp`, `mcp.servers`, `context_servers`, `mcp_servers` or `extensions`. An invalid entry does not affect the others: its error is
 * returned in its place.
 *
 * @throws ConfigError when the text is invalid, or contains no servers.
 */
export async function readConfig(config: string | object, options: ReadConfigOptions = {}): Promise<Config> {
  const document = typeof config === 'string' ? await parseDocument(config, options.format) : parsedDocument(config)
  return readServers(document, options)
}

/** Reads the servers of a parsed configuration. @throws ConfigError when it contains none. */
export async function readServers(document: ConfigDocument, options: Partial<ConfigVariables> = {}): Promise<Config> {
  const entries = findEntries(document.root)
  if (!entries) throw new ConfigError(`The configuration has none of the members ${KEYS.slice(0, -2).join(', ')}`)
  const source = await createSource(document.root, options)
  const servers = entries.filter(({ entry }) => !isBuiltIn(entry)).map((located) => readServer(located, { document, source }))
  const builtIn = entries
    .filter(({ entry }) => isBuiltIn(entry))
    .map(({ name }) => `${name} is built into its host, so it is ignored`)
  return { servers, warnings: [...servers.flatMap(disabledWarning), ...builtIn] }
}

function parsedDocument(root: object): ConfigDocument {
  return { root, positionOf: () => undefined }
}

/** Loads the module that reads files only if the configuration names one. */
async function createSource(root: unknown, options: Partial<ConfigVariables>): Promise<VariableSource> {
  const { env = environment(), inputs = {}, directory } = options
  const variables = { env, inputs, directory }
  if (!/"envFile"|\{file:/.test(JSON.stringify(root))) return { ...variables, readFile: noFiles }
  const { readTextFile } = await import('./text-file.ts')
  return { ...variables, readFile: (path) => readTextFile(path, directory) }
}

/** Returns the entries of all members that hold servers. The first entry of a name wins. */
function findEntries(root: unknown): LocatedEntry[] | undefined {
  if (!isObject(root)) return undefined
  const groups = KEYS.flatMap((key) => unwrap(root[key], [key])).filter(isPlausible)
  const entries = new Map<string, LocatedEntry>()
  for (const located of groups.flatMap(entriesOf)) if (!entries.has(located.name)) entries.set(located.name, located)
  return groups.length > 0 ? [...entries.values()] : undefined
}

/** A member that holds servers: an object, or an array of entries with a `name`. */
interface EntryGroup {
  readonly value: JsonObject | readonly unknown[]
  readonly path: ConfigPath
}

/** Treats `{ mcp: { servers } }` as `{ mcp }`. */
function unwrap(value: unknown, path: ConfigPath): EntryGroup[] {
  if (Array.isArray(value)) return [{ value, path }]
  if (!isObject(value)) return []
  const nested = ['servers', 'mcpServers'].find((key) => isObject(value[key]) && !isEntry(value[key]))
  return nested === undefined ? [{ value, path }] : [{ value: value[nested] as JsonObject, path: [...path, nested] }]
}

/** Members that also have settings in some hosts, which are no objects, or that hold something else. */
const SHARED_KEYS: readonly unknown[] = ['mcp', 'extensions']

function isPlausible({ value, path: [key] }: EntryGroup): boolean {
  if (!SHARED_KEYS.includes(key)) return true
  const entries = Object.values(value)
  return entries.some((entry) => (key === 'mcp' ? isObject(entry) : isEntry(entry) || isBuiltIn(entry)))
}

function entriesOf({ value, path }: EntryGroup): LocatedEntry[] {
  if (Array.isArray(value))
    return value.map((entry: unknown, index) => ({
      name: isObject(entry) && typeof entry.name === 'string' ? entry.name : String(index),
      entry,
      path: [...path, index],
    }))
  return Object.entries(value)
    .filter(([, entry]) => isObject(entry) || !SHARED_KEYS.includes(path[0]))
    .map(([name, entry]) => ({ name, entry, path: [...path, name] }))
}

/** Distinguishes a server named `servers` from a group of servers. */
function isEntry(value: unknown): boolean {
  return isObject(value) && TARGET_FIELDS.some((field) => typeof value[field] === 'string' || Array.isArray(value[field]))
}

function readServer(
  { name, entry, path }: LocatedEntry,
  { document, source }: { readonly document: ConfigDocument; readonly source: VariableSource },
): ServerConfig {
  if (isDisabled(entry)) return { name, disabled: true }
  try {
    return { name, ...readServerEntry(entry, source) }
  } catch (error) {
    if (!(error instanceof FieldError)) throw error
    const position = document.positionOf([...path, ...pathOf(error.field)])
    const where = position ? ` (${formatPosition(position)})` : ''
    return {
      name,
      error: new ConfigError(`The server ${name} has an invalid configuration: ${error.message}${where}`, { position }),
    }
  }
}

/** Converts `args[1]` to `['args', 1]`. */
function pathOf(field: string): ConfigPath {
  return field.match(/[^.[\]]+/g)?.map((step) => (/^\d+$/.test(step) ? Number(step) : step)) ?? []
}

function disabledWarning(server: ServerConfig): string[] {
  return 'disabled' in server ? [`The server ${server.name} is disabled`] : []
}

/** Returns the environment of the process; empty on platforms that have none. */
function environment(): ConfigVariables['env'] {
  const { process } = globalThis as { process?: { env?: ConfigVariables['env'] } }
  return process?.env ?? {}
}
