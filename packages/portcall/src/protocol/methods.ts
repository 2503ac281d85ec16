import type { ServerCapabilities } from './types.ts'

/** The properties of a method of the newest revision. */
export interface MethodInfo {
  /** The server capability that the method requires. Every server answers a method without one. */
  readonly capability?: keyof ServerCapabilities
  /** True if complete results have `ttlMs` and `cacheScope`. */
  readonly cacheable?: true
  /** True if the result may be `input_required`. */
  readonly mayRequireInput?: true
  /** The param that the HTTP header `Mcp-Name` repeats. */
  readonly nameParam?: string
  /** True if a request stays open until one side ends it. */
  readonly longLived?: true
  /** The id of the extension that defines the method. */
  readonly extension?: string
}

/**
 * The requests of the newest revision.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema
 */
export const METHODS: ReadonlyMap<string, MethodInfo> = new Map<string, MethodInfo>([
  ['server/discover', { cacheable: true }],
  ['tools/list', { capability: 'tools', cacheable: true }],
  ['tools/call', { capability: 'tools', mayRequireInput: true, nameParam: 'name' }],
  ['resources/list', { capability: 'resources', cacheable: true }],
  ['resources/templates/list', { capability: 'resources', cacheable: true }],
  ['resources/read', { capability: 'resources', cacheable: true, mayRequireInput: true, nameParam: 'uri' }],
  ['prompts/list', { capability: 'prompts', cacheable: true }],
  ['prompts/get', { capability: 'prompts', mayRequireInput: true, nameParam: 'name' }],
  ['completion/complete', { capability: 'completions' }],
  ['subscriptions/listen', { longLived: true }],
])

/** Returns the properties of a method, or `undefined` if it is unknown. */
export type MethodLookup = (method: string) => MethodInfo | undefined

/** Looks up a method of the protocol itself, without extensions. */
export const methodOf: MethodLookup = (method) => METHODS.get(method)

/** Notifications that may be dropped when the peer is slow, because the next one replaces them. */
export const DROPPABLE_NOTIFICATIONS: ReadonlySet<string> = new Set(['notifications/progress', 'notifications/message'])

/** The notification for each list in a subscription filter. */
export const LIST_CHANGES = {
  toolsListChanged: 'notifications/tools/list_changed',
  promptsListChanged: 'notifications/prompts/list_changed',
  resourcesListChanged: 'notifications/resources/list_changed',
} as const

export type ListChange = keyof typeof LIST_CHANGES

/** The keys of a subscription filter that stand for lists. */
export const LIST_CHANGE_KEYS = Object.keys(LIST_CHANGES) as readonly ListChange[]

/** The server capability that each list belongs to. */
export const LIST_CAPABILITIES: { readonly [list in ListChange]: 'tools' | 'resources' | 'prompts' } = {
  toolsListChanged: 'tools',
  resourcesListChanged: 'resources',
  promptsListChanged: 'prompts',
}
