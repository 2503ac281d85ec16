/** Settings of hosts that switch servers and tools off, or that only the host can honor. */

import { createNameMatcher } from '../../../../util/src/name-matcher.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import type { ToolFilter } from './tool-filter.ts'
import { FieldError } from './variables.ts'

/** The fields of an entry that list the tools to offer: of Codex, Gemini CLI, Copilot CLI and Goose. An empty list of Goose means all. */
const INCLUDE_FIELDS = ['enabled_tools', 'enabledTools', 'includeTools', 'tools', 'available_tools'] as const
/** The fields of an entry that list the tools to leave out: of Codex and Crush, Gemini CLI, and Kiro, Roo Code, Windsurf and others. */
const EXCLUDE_FIELDS = ['disabled_tools', 'excludeTools', 'disabledTools', 'excludedTools'] as const

/** The fields that are settings of tools. */
export const FILTER_FIELDS: readonly string[] = [...INCLUDE_FIELDS, ...EXCLUDE_FIELDS]

/** Where the tools of an entry are switched off. */
interface FilterContext {
  readonly name: string
  /** The configuration. */
  readonly root: unknown
  /** The tools that are switched off elsewhere, as `server__tool`. */
  readonly disabledTools: readonly string[]
}

/** Reads which tools an entry offers. Returns undefined if it offers all. @throws FieldError for a list of another form. */
export function readToolFilter(entry: JsonObject, { name, root, disabledTools }: FilterContext): ToolFilter | undefined {
  const lists = INCLUDE_FIELDS.flatMap((field) => {
    const names = namesOf(entry, field)
    return names === undefined || names.includes('*') || (field === 'available_tools' && names.length === 0) ? [] : [names]
  })
  const inRoot = toolsInRoot(root, name)
  const [include] = inRoot.include.length > 0 ? [...lists, inRoot.include] : lists
  const inEntry = EXCLUDE_FIELDS.flatMap((field) => namesOf(entry, field) ?? [])
  const elsewhere = disabledTools.flatMap((pattern) => withoutPrefix(pattern, prefixOf(name, '__')))
  const exclude = [...new Set([...inEntry, ...inRoot.exclude, ...elsewhere])]
  if (!include && exclude.length === 0) return undefined
  return { ...(include && { include }), ...(exclude.length > 0 && { exclude }) }
}

/** Returns the names in a field of an entry. An object in `tools` is a setting of the gateway, and no list of a host. */
function namesOf(entry: JsonObject, field: string): string[] | undefined {
  const value = entry[field]
  if (value == null || (field === 'tools' && isObject(value))) return undefined
  const names = namesIn(value)
  if (names === undefined || [value].flat().length !== names.length)
    throw new FieldError(field, `${field} must be an array of strings`)
  return names
}

/** Returns the names in a list, or a single one. Gemini CLI allows arguments behind a name. */
function namesIn(value: unknown): string[] | undefined {
  if (!Array.isArray(value) && typeof value !== 'string') return undefined
  return [value].flat().flatMap((one: unknown) => (typeof one === 'string' ? [one.split('(', 1)[0] ?? ''] : []))
}

/**
 * Reads `tools: { "SERVER_TOOL": false }` of opencode, where `*` stands for any characters. Tools that are on although `*` switches all of the server off
 * are the only ones.
 */
function toolsInRoot(
  root: unknown,
  server: string,
): { readonly include: readonly string[]; readonly exclude: readonly string[] } {
  const tools = isObject(root) && isObject(root.mcp) && isObject(root.tools) ? root.tools : {}
  const prefix = prefixOf(server, '_')
  const namesWith = (state: boolean): string[] => {
    const names = Object.keys(tools).filter((name) => tools[name] === state)
    return [...new Set(names.flatMap((name) => withoutPrefix(name, prefix)))]
  }
  const [on, off] = [namesWith(true), namesWith(false)]
  const isException = off.includes('*') && on.length > 0
  return isException ? { include: on, exclude: off.filter((name) => name !== '*') } : { include: [], exclude: off }
}

/** Returns what hosts put before the names of the tools of a server. */
function prefixOf(server: string, separator: string): string {
  return `${server.replaceAll(/[^\w-]/g, '_')}${separator}`
}

/** Returns the patterns that match what follows the prefix in the names that a pattern matches: `*` and `x*` for `a_*` and `a_x*`. */
function withoutPrefix(pattern: string, prefix: string): string[] {
  const ends = Array.from({ length: pattern.length + 1 }, (_, end) => end)
  const matching = ends.filter((end) => createNameMatcher([pattern.slice(0, end)])(prefix))
  return matching.map((end) => (pattern[end - 1] === '*' ? `*${pattern.slice(end)}` : pattern.slice(end)))
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
