import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import type { OnGatewayEvent } from '../api/events.ts'
import { SELF } from '../api/self.ts'
import { findItemFault } from '../policy/item-fault.ts'
import type { GatewayKindInfo } from '../policy/item-kinds.ts'

export interface CheckOptions {
  readonly info: GatewayKindInfo
  /** The name of the server. */
  readonly server: string
  /** The gateway receives what the server delivers to webhooks. */
  readonly hasWebhook: boolean
  readonly onEvent: OnGatewayEvent
}

/** Returns the items of a server's list that can be offered, and reports the others. */
export function checkItems(items: readonly unknown[], { info, server, hasWebhook, onEvent }: CheckOptions): JsonObject[] {
  return items.flatMap((listed) => {
    const item = isObject(listed) ? normalize(info, listed, { server, hasWebhook }) : undefined
    const reason = item ? findItemFault(info, item) : 'not an object, or nested too deeply (maxJsonDepth)'
    if (item && reason === undefined) return [item]
    onEvent({ type: 'item-dropped', server, kind: info.kind, name: nameOf(listed, info), reason: reason ?? '' })
    return []
  })
}

/** Completes a tool, and removes the ways of delivery of an event type that the gateway does not pass on. */
function normalize(
  info: GatewayKindInfo,
  item: JsonObject,
  { server, hasWebhook }: Pick<CheckOptions, 'server' | 'hasWebhook'>,
): JsonObject {
  if (info.kind !== 'event') return withInputType(info, item)
  // A server that others are mounted on delivers its own events.
  if (server === SELF) return item
  const { delivery } = item
  if (!Array.isArray(delivery)) return item
  const modes = delivery.filter((mode) => mode === 'poll' || mode === 'push')
  const isReceived = hasWebhook && !modes.includes('push') && delivery.includes('webhook')
  return { ...item, delivery: isReceived ? [...modes, 'push'] : modes }
}

/** Arguments are always an object, also if a server leaves their schema or its type out. */
function withInputType({ kind }: GatewayKindInfo, item: JsonObject): JsonObject {
  const { inputSchema = {} } = item
  if (kind !== 'tool' || (inputSchema !== null && !isObject(inputSchema))) return item
  const { type } = inputSchema ?? {}
  return type === undefined || type === null ? { ...item, inputSchema: { ...inputSchema, type: 'object' } } : item
}

function nameOf(item: unknown, { id }: GatewayKindInfo): string {
  // The transport replaces items that nest too deeply with their names.
  const name = isObject(item) ? item[id] : item
  return typeof name === 'string' ? name.slice(0, 200) : ''
}
