import type { ServerCapabilities } from './types.ts'

/** What the newest revision says about one method. */
export interface Method {
  /** The server capability that has to be there; `undefined` when every server answers. */
  readonly capability?: keyof ServerCapabilities
  /** Its complete results carry `ttlMs` and `cacheScope`. */
  readonly cacheable?: true
  /** It may be answered with `input_required`. */
  readonly mayAsk?: true
  /** The param that `Mcp-Name` mirrors on HTTP. */
  readonly nameParam?: string
  /** It stays open until one side ends it. */
  readonly longLived?: true
  /** The extension that it belongs to. */
  readonly extension?: string
}

/**
 * The requests of the newest revision, as data.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema
 */
export const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  ['server/discover', { cacheable: true }],
  ['tools/list', { capability: 'tools', cacheable: true }],
  ['tools/call', { capability: 'tools', mayAsk: true, nameParam: 'name' }],
  ['resources/list', { capability: 'resources', cacheable: true }],
  ['resources/templates/list', { capability: 'resources', cacheable: true }],
  ['resources/read', { capability: 'resources', cacheable: true, mayAsk: true, nameParam: 'uri' }],
  ['prompts/list', { capability: 'prompts', cacheable: true }],
  ['prompts/get', { capability: 'prompts', mayAsk: true, nameParam: 'name' }],
  ['completion/complete', { capability: 'completions' }],
  ['subscriptions/listen', { longLived: true }],
])

/** What is known of a method; nothing of one that is unknown. */
export type MethodOf = (method: string) => Method | undefined

/** What the protocol itself says about a method. */
export const methodOf: MethodOf = (method) => METHODS.get(method)

/** Notifications that may get lost without harm: the next one of its kind says more. */
export const DROPPABLE: ReadonlySet<string> = new Set(['notifications/progress', 'notifications/message'])

/** The changes that a subscription can carry: its key in the filter, and the notification that tells of it. */
export const LIST_CHANGES = {
  toolsListChanged: 'notifications/tools/list_changed',
  promptsListChanged: 'notifications/prompts/list_changed',
  resourcesListChanged: 'notifications/resources/list_changed',
} as const

export type ListChange = keyof typeof LIST_CHANGES

/** The keys of the filter that are lists. */
export const LISTS = Object.keys(LIST_CHANGES) as readonly ListChange[]

/** The capability that each list belongs to. */
export const LIST_OWNERS: { readonly [list in ListChange]: 'tools' | 'resources' | 'prompts' } = {
  toolsListChanged: 'tools',
  resourcesListChanged: 'resources',
  promptsListChanged: 'prompts',
}
