import { KINDS, type KindInfo } from '../../compose/kinds.ts'
import { isObject } from '../../jsonrpc/message.ts'
import { EVENTS_EXTENSION, EVENTS_LIST_CHANGED_FILTER, EventMethod, EventNotification } from '../../protocol/events.ts'
import { LIST_CHANGES, type ListChange } from '../../protocol/methods.ts'
import type { ServerCapabilities } from '../../protocol/types.ts'
import type { GatewayItemKind } from './types.ts'

/** The kinds of items that have names, as opposed to URIs. Their names can have the prefix of their server. */
export type NamedItemKind = 'tool' | 'prompt' | 'event'

/** The members of a subscription filter that stand for lists. */
export type GatewayListChange = ListChange | typeof EVENTS_LIST_CHANGED_FILTER

/** How servers list one kind of item, and announce changes of the list. */
export interface GatewayKindInfo extends Pick<KindInfo, 'method' | 'key' | 'id'> {
  readonly kind: GatewayItemKind
  /** The member of the subscription filter for changes of the list. */
  readonly change: GatewayListChange
  /** Reports whether a server with these capabilities has such items. */
  isDeclared(capabilities: ServerCapabilities): boolean
}

const coreKind = ({ capability, ...info }: KindInfo): GatewayKindInfo => ({
  ...info,
  isDeclared: (capabilities) => capabilities[capability] !== undefined,
})

/** How each kind of item is listed. */
export const GATEWAY_KINDS: { readonly [kind in GatewayItemKind]: GatewayKindInfo } = {
  tool: coreKind(KINDS.tool),
  prompt: coreKind(KINDS.prompt),
  resource: coreKind(KINDS.resource),
  template: coreKind(KINDS.template),
  event: {
    kind: 'event',
    method: EventMethod.list,
    key: 'events',
    id: 'name',
    change: EVENTS_LIST_CHANGED_FILTER,
    isDeclared: ({ extensions }) => isObject(extensions?.[EVENTS_EXTENSION]),
  },
}

/** The kinds by the method that lists them. */
export const GATEWAY_KIND_OF_METHOD: ReadonlyMap<string, GatewayKindInfo> = new Map(
  Object.values(GATEWAY_KINDS).map((info) => [info.method, info]),
)

/** The notification for each list in a subscription filter. */
export const GATEWAY_LIST_CHANGES: { readonly [list in GatewayListChange]: string } = {
  ...LIST_CHANGES,
  [EVENTS_LIST_CHANGED_FILTER]: EventNotification.listChanged,
}

/** The members of a subscription filter that stand for lists. */
export const GATEWAY_LIST_CHANGE_KEYS = Object.keys(GATEWAY_LIST_CHANGES) as readonly GatewayListChange[]

const NAMED: ReadonlySet<GatewayItemKind> = new Set<NamedItemKind>(['tool', 'prompt', 'event'])

/** Reports whether items of a kind have names, as opposed to URIs. */
export function isNamedKind(kind: GatewayItemKind): kind is NamedItemKind {
  return NAMED.has(kind)
}
