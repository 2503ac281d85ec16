/** Settings of hosts that switch servers and tools off, or that only the host can honor. */

import { createNameMatcher } from '../../../../util/src/name-matcher.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'

/** The tools of a server that its host offers. Names may contain `*`. */
export interface ToolFilter {
  /** Only these tools. Default: all. */
  readonly include?: readonly string[]
  /** None of these tools. */
  readonly exclude?: readonly string[]
}

/** Returns what reports whether a filter leaves a tool on. */
export function createToolFilter({ include, exclude = [] }: ToolFilter): (tool: string) => boolean {
  const [isIncluded, isExcluded] = [createNameMatcher(include ?? ['*']), createNameMatcher(exclude)]
  return (tool) => isIncluded(tool) && !isExcluded(tool)
}

/** The fields of an entry that list the tools to offer: of Codex, Gemini CLI, Copilot CLI and Goose. An empty list of Goose means all. */
const INCLUDE_FIELDS = ['enabled_tools', 'enabledTools', 'includeTools', 'tools', 'available_tools'] as const
/** The fields of an entry that list the tools to leave out: of Codex and Crush, Gemini CLI, and Kiro, Roo Code, Windsurf and others. */
const EXCLUDE_FIELDS = ['disabled_tools', 'excludeTools', 'disabledTools', 'excludedTools'] as const

/** The fields that are settings of tools. */
export const FILTER_FIELDS: readonly string[] = [...INCLUDE_FIELDS, ...EXCLUDE_FIELDS]

/** Reads which tools an entry offers. `root` is the configuration. Returns undefined if it offers all. */
export function readToolFilter(
  entry: JsonObject,
  { name, root }: { readonly name: string; readonly root: unknown },
): ToolFilter | undefined {
  const lists = INCLUDE_FIELDS.flatMap((field) => {
    const names = namesIn(entry[field])
    return names === undefined || names.includes('*') || (field === 'available_tools' && names.length === 0) ? [] : [names]
  })
  const [include] = lists
  const exclude = [...EXCLUDE_FIELDS.flatMap((field) => namesIn(entry[field]) ?? []), ...toolsOffInRoot(root, name)]
  if (!include && exclude.length === 0) return undefined
  return { ...(include && { include }), ...(exclude.length > 0 && { exclude }) }
}

/** Gemini CLI allows arguments behind a name. */
function namesIn(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined
  return value.flatMap((one: unknown) => (typeof one === 'string' ? [one.split('(', 1)[0] ?? ''] : []))
}

/** Returns the tools that opencode switches off: `tools: { "SERVER_TOOL": false }`. */
function toolsOffInRoot(root: unknown, server: string): string[] {
  const tools = isObject(root) && isObject(root.mcp) && isObject(root.tools) ? root.tools : {}
  const names = Object.entries(tools).flatMap(([name, value]) => (value === false ? [name] : []))
  return names.flatMap((name) => {
    if (name === `${server}*`) return ['*']
    return name.startsWith(`${server}_`) ? [name.slice(server.length + 1)] : []
  })
}

/** Reports whether the configuration switches a server off outside its entry, as Gemini CLI and Claude Code do. */
export function isSwitchedOff(name: string, root: unknown, project: JsonObject | undefined): boolean {
  const settings = isObject(root) ? root : {}
  const mcp = isObject(settings.mcp) ? settings.mcp : {}
  const excluded = [mcp.excluded, settings.excludeMCPServers, settings.disabledMcpServers, project?.disabledMcpServers]
  const allowed = [mcp.allowed, settings.allowMCPServers].map(namesIn).filter((names) => names !== undefined)
  return excluded.some((names) => namesIn(names)?.includes(name)) || allowed.some((names) => !names.includes(name))
}

/** Returns the settings that Claude Code has for a project: its servers, which are not shared, and those that are off. */
export function projectOf(root: unknown, directory: string): JsonObject | undefined {
  const projects = isObject(root) && isObject(root.projects) ? root.projects : {}
  const project = Object.hasOwn(projects, directory) ? projects[directory] : undefined
  return isObject(project) ? project : undefined
}

/** Fields that change how a server signs in, or what it may do, and that only their host honors. */
const UNSUPPORTED: { readonly [field: string]: string } = {
  headersHelper: 'it computes headers. Set headers',
  oauth: 'it configures how the host signs in. Use portcall login, or configure auth',
  auth: 'it configures how the host signs in. Use portcall login, or configure auth',
  authProviderType: 'it configures how the host signs in. Use portcall login, or configure auth',
  apiKey: 'the host sends it. Set headers',
  sandbox: 'the program runs without a sandbox',
  sandboxEnabled: 'the program runs without a sandbox',
}

/** Returns what to say about the fields of an entry that only its host honors. */
export function findUnsupported(entry: unknown): { readonly field: string; readonly advice: string }[] {
  if (!isObject(entry)) return []
  const isSet = (value: unknown): boolean => value != null && value !== false && !isGatewayAuth(value)
  return Object.entries(UNSUPPORTED).flatMap(([field, effect]) =>
    isSet(entry[field]) ? [{ field, advice: `${field} is ignored: ${effect}` }] : [],
  )
}

/** The gateway has a setting of the same name, and says where it belongs. */
function isGatewayAuth(value: unknown): boolean {
  return isObject(value) && typeof value.type === 'string'
}
