/** The messages that views send: which there are, when, with which params, and what the host must offer for them. */
import type { HostCapabilities } from '../view/types.ts'
import { anyValue, type Check, idValue, listOf, objectValue, oneOf, pixels, recordOf, textValue, variants } from './shape.ts'

/**
 * The state of a view. `waiting`: it has sent nothing. `initializing`: the host has answered `ui/initialize`. `ready`: it has sent
 * `ui/notifications/initialized`. `closing`: the host waits for its answer to `ui/resource-teardown`. `closed`: its frame may be removed.
 */
export type ViewState = 'waiting' | 'initializing' | 'ready' | 'closing' | 'closed'

/** A capability of a host, which allows messages. */
export type CapabilityName = keyof HostCapabilities & string

/** A rule of the table. */
export interface MethodRule {
  /** Requests are answered, notifications are not. */
  readonly kind: 'request' | 'notification'
  /** The capability that allows it. Absent: it is always allowed. */
  readonly capability?: CapabilityName
  /** The states in which it may be sent. Default: `ready` and `closing`. */
  readonly states?: readonly ViewState[]
  /** The check of its params. */
  readonly params: Check
}

const RESOURCE = variantsOfContents()
const BLOCK = variants({
  text: recordOf({ text: textValue }),
  image: recordOf({ data: textValue, mimeType: textValue }),
  audio: recordOf({ data: textValue, mimeType: textValue }),
  resource: recordOf({ resource: RESOURCE }),
  resource_link: recordOf({ uri: textValue, name: textValue }),
})
const FILE = variants({
  resource: recordOf({ resource: RESOURCE }),
  resource_link: recordOf({ uri: textValue, name: textValue }),
})
const IMPLEMENTATION = recordOf({ name: textValue, version: textValue })

function variantsOfContents(): Check {
  const common = recordOf({ uri: textValue, 'mimeType?': textValue, 'text?': textValue, 'blob?': textValue })
  return (value, path) => {
    const problem = common(value, path)
    const { text: words, blob } = (value ?? {}) as { text?: unknown; blob?: unknown }
    return problem ?? (words === undefined && blob === undefined ? `${path} must have a text or a blob` : undefined)
  }
}

/** One block instead of an array is accepted, as older views send it. */
const blocks: Check = (value, path) => (Array.isArray(value) ? listOf(BLOCK)(value, path) : BLOCK(value, path))

const PAGE = recordOf({ 'cursor?': textValue })
const ALWAYS = ['waiting', 'initializing', 'ready'] as const
const SIZE: MethodRule = { kind: 'notification', params: recordOf({ 'width?': pixels, 'height?': pixels }) }

/** The names of the requests of views. */
export type ViewRequestMethod =
  | 'ui/initialize'
  | 'ui/open-link'
  | 'ui/download-file'
  | 'ui/message'
  | 'ui/update-model-context'
  | 'ui/request-display-mode'
  | 'tools/call'
  | 'resources/read'
  | 'resources/list'
  | 'resources/templates/list'
  | 'prompts/list'
  | 'sampling/createMessage'
  | 'ping'

/** The names of the notifications of views. */
export type ViewNotificationMethod =
  | 'ui/notifications/initialized'
  | 'ui/notifications/size-changed'
  | 'ui/notifications/size-change'
  | 'ui/notifications/request-teardown'
  | 'notifications/message'
  | 'notifications/cancelled'
  | 'notifications/progress'
  | 'notifications/tools/list_changed'

/** The name of a message of a view. */
export type ViewMethod = ViewRequestMethod | ViewNotificationMethod

/** The states of a view that has been initialized, whether or not it has said that it is ready. */
const INITIALIZED: readonly ViewState[] = ['initializing', 'ready', 'closing']

/** The messages of views. What is not in the table is refused. */
export const VIEW_METHODS: { readonly [method in ViewMethod]: MethodRule } = {
  'ui/initialize': {
    kind: 'request',
    states: ALWAYS,
    params: recordOf({ appInfo: IMPLEMENTATION, appCapabilities: objectValue, protocolVersion: textValue }),
  },
  'ui/notifications/initialized': { kind: 'notification', states: ['initializing'], params: anyValue },
  'ui/open-link': { kind: 'request', capability: 'openLinks', params: recordOf({ url: textValue }) },
  'ui/download-file': { kind: 'request', capability: 'downloadFile', params: recordOf({ contents: listOf(FILE) }) },
  'ui/message': { kind: 'request', capability: 'message', params: recordOf({ role: oneOf('user'), content: blocks }) },
  'ui/update-model-context': {
    kind: 'request',
    capability: 'updateModelContext',
    params: recordOf({ 'content?': listOf(BLOCK), 'structuredContent?': objectValue }),
  },
  'ui/request-display-mode': { kind: 'request', params: recordOf({ mode: oneOf('inline', 'fullscreen', 'pip') }) },
  'ui/notifications/size-changed': SIZE,
  'ui/notifications/size-change': SIZE,
  'ui/notifications/request-teardown': { kind: 'notification', params: anyValue },
  'tools/call': {
    kind: 'request',
    capability: 'serverTools',
    params: recordOf({ name: textValue, 'arguments?': objectValue, '_meta?': objectValue }),
  },
  'resources/read': { kind: 'request', capability: 'serverResources', params: recordOf({ uri: textValue }) },
  'resources/list': { kind: 'request', capability: 'serverResources', params: PAGE },
  'resources/templates/list': { kind: 'request', capability: 'serverResources', params: PAGE },
  'prompts/list': { kind: 'request', params: PAGE },
  'sampling/createMessage': { kind: 'request', capability: 'sampling', params: recordOf({ messages: listOf(objectValue) }) },
  ping: { kind: 'request', states: INITIALIZED, params: anyValue },
  'notifications/message': {
    kind: 'notification',
    capability: 'logging',
    params: recordOf({ level: textValue, 'logger?': textValue, data: anyValue }),
  },
  'notifications/cancelled': {
    kind: 'notification',
    // A request that waits for the view to be ready can be cancelled too.
    states: INITIALIZED,
    params: recordOf({ requestId: idValue, 'reason?': textValue }),
  },
  'notifications/progress': { kind: 'notification', params: objectValue },
  'notifications/tools/list_changed': { kind: 'notification', params: anyValue },
}

/** Returns the rule of a method, or `undefined` if views may not send it. */
export function ruleOf(method: string, kind: MethodRule['kind']): MethodRule | undefined {
  if (!Object.hasOwn(VIEW_METHODS, method)) return undefined
  const rule = VIEW_METHODS[method as ViewMethod]
  return rule.kind === kind ? rule : undefined
}

const MAX_SHOWN = 100

/** Returns the name of a method for messages and events: views choose it. */
export const shownMethod = (method: string): string => method.slice(0, MAX_SHOWN)
