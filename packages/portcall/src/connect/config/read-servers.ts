/** Reads the servers of configurations. Loaded on demand, since few clients need it. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { parseDocument } from './document.ts'
import { type ConfigDocument, type ConfigPath, formatPosition } from './document-types.ts'
import { ConfigError, type TextPosition } from './errors.ts'
import { findUnsupported, isSwitchedOff, projectOf, readToolFilter } from './host-settings.ts'
import { findMisspelled, isBuiltIn, isDisabled, readServerEntry, TARGET_FIELDS } from './server-entry.ts'
import type { Config, ReadConfigOptions, ServerConfig } from './types.ts'
import { type ConfigVariables, createVariableSource, FieldError, projectDirectoryOf, type VariableSource } from './variables.ts'

/** The members that hold the servers, in the formats of various hosts. The last two are single members in some hosts' settings. */
export const SERVER_MEMBERS: readonly string[] = [
  'mcpServers',
  'servers',
  'mcp',
  'context_servers',
  'mcp_servers',
  'extensions',
  'mcp.servers',
  'amp.mcpServers',
]

/** An entry of a server, and where it is in the configuration. */
export interface LocatedEntry {
  readonly name: string
  readonly entry: unknown
  readonly path: ConfigPath
}

/** Reads the servers of a configuration: text, or parsed. @throws ConfigError when the text is invalid, or contains no servers. */
export async function readConfigServers(config: string | object, options: ReadConfigOptions): Promise<Config> {
  const document = typeof config === 'string' ? await parseDocument(config, options.format) : parsedDocument(config)
  return readServers(document, options)
}

function parsedDocument(root: object): ConfigDocument {
  return { root, positionOf: () => undefined }
}

/** Reads the servers of a parsed configuration. @throws ConfigError when it contains none. */
export async function readServers(
  document: ConfigDocument,
  options: Partial<ConfigVariables> & Pick<ReadConfigOptions, 'disabledServers' | 'disabledTools' | 'allowNoServers'> = {},
): Promise<Config> {
  const { disabledServers = [], disabledTools = [], allowNoServers = false } = options
  const { root } = document
  const directory = projectDirectoryOf(options)
  const project = projectOf(root, directory)
  const entries = findEntries(root, project && { value: project.mcpServers, path: ['projects', directory, 'mcpServers'] })
  if (!entries && allowNoServers && isObject(root)) return { servers: [], warnings: [] }
  if (!entries) throw new ConfigError(`The configuration has none of the members ${SERVER_MEMBERS.slice(0, -2).join(', ')}`)
  const source = await createVariableSource(root, options)
  const builtIn = entries.filter(({ entry }) => isBuiltIn(entry))
  const own = entries.filter((located) => !builtIn.includes(located))
  const servers = own.map((located) => readServer(located, { document, source, project, disabledServers, disabledTools }))
  const notes = own
    .filter((_, at) => 'target' in (servers[at] ?? {}))
    .flatMap((located) =>
      [...findMisspelled(located.entry), ...findUnsupported(located.entry)].map((note) => warnAbout(located, note, document)),
    )
  return { servers, warnings: [...servers.flatMap(disabledWarning), ...notes, ...builtIn.map(builtInWarning)] }
}

function builtInWarning({ name }: LocatedEntry): string {
  return `${name} is part of its host, or an extension of it, so it is ignored`
}

/** Writes a warning about a field of an entry, with its position. */
export function warnAbout(
  { name, path }: LocatedEntry,
  { field, advice }: { readonly field: string; readonly advice: string },
  document: ConfigDocument,
): string {
  return `The server ${name}: ${advice}${locate(document.positionOf([...path, field]))}`
}

/** Writes a position behind a message. */
export const locate = (position: TextPosition | undefined): string => (position ? ` (${formatPosition(position)})` : '')

/** Returns the entries of all members that hold servers, and those of the project before them. The first entry of a name wins. */
export function findEntries(
  root: unknown,
  project?: { readonly value: unknown; readonly path: ConfigPath },
): LocatedEntry[] | undefined {
  if (!isObject(root)) return undefined
  const ofProject = project ? unwrap(project.value, project.path) : []
  const groups = [...ofProject, ...SERVER_MEMBERS.flatMap((key) => unwrap(root[key], [key])).filter(isPlausible)]
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
      name: isObject(entry) ? (textOf(entry.name) ?? textOf(entry.uses) ?? String(index)) : String(index),
      entry,
      path: [...path, index],
    }))
  return Object.entries(value)
    .filter(([, entry]) => isObject(entry) || !SHARED_KEYS.includes(path[0]))
    .map(([name, entry]) => ({ name, entry, path: [...path, name] }))
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Distinguishes a server named `servers` from a group of servers. */
function isEntry(value: unknown): boolean {
  return isObject(value) && TARGET_FIELDS.some((field) => typeof value[field] === 'string' || Array.isArray(value[field]))
}

interface EntryContext {
  readonly document: ConfigDocument
  readonly source: VariableSource
  /** The settings of the project, if the host keeps them in the configuration. */
  readonly project: JsonObject | undefined
  /** The servers that are switched off elsewhere. */
  readonly disabledServers: readonly string[]
  /** The tools that are switched off elsewhere, as `server__tool`. */
  readonly disabledTools: readonly string[]
}

function readServer({ name, entry, path }: LocatedEntry, context: EntryContext): ServerConfig {
  const { document, source, project, disabledServers, disabledTools } = context
  if (disabledServers.includes(name) || isSwitchedOff(name, document.root, project)) return { name, disabled: true }
  try {
    if (isDisabled(entry)) return { name, disabled: true }
    const tools = isObject(entry) ? readToolFilter(entry, { name, root: document.root, disabledTools }) : undefined
    return { name, ...readServerEntry(entry, source), ...(tools && { tools }) }
  } catch (error) {
    if (!(error instanceof FieldError)) throw error
    const position = document.positionOf([...path, ...pathOf(error.field)])
    const reason = `The server ${name} has an invalid configuration: ${error.message}`
    return { name, error: new ConfigError(`${reason}${locate(position)}`, { position, reason }) }
  }
}

/** Converts `args[1]` to `['args', 1]`. */
function pathOf(field: string): ConfigPath {
  return field.match(/[^.[\]]+/g)?.map((step) => (/^\d+$/.test(step) ? Number(step) : step)) ?? []
}

function disabledWarning(server: ServerConfig): string[] {
  return 'disabled' in server ? [`The server ${server.name} is disabled`] : []
}
