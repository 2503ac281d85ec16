import { onAbort } from '../../../../util/src/abort.ts'
import { canonicalJson } from '../../../../util/src/canonical-json.ts'
import { isString } from '../../../../util/src/strings.ts'
import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts'
import { isObject, type JsonObject, notification, type Response, success } from '../../jsonrpc/message.ts'
import { EventMethod, EventNotification, eventErrorName } from '../../protocol/events.ts'
import type { ItemCall } from '../calls/item-call.ts'
import type { CombinedPolicies } from '../policy/combine.ts'
import { requestResult } from '../upstreams/fetch-list.ts'
import type { GatewayUpstream } from '../upstreams/upstream.ts'
import { createFollower, type Follower } from './follower.ts'
import { createSharedStream, type SharedStream } from './shared-stream.ts'
import type { EventStreamContext, EventStreamStart, RequestEventStream } from './stream-requests.ts'
import { createWebhookStream } from './webhook-stream.ts'
import type { WebhookSubscriptions } from './webhook-subscriptions.ts'

/** The streams of events that the gateway has opened at servers. */
export interface SharedStreams {
  /**
   * Answers `events/stream`, which the policies have allowed. Callers with the same rights at the server and the same arguments share a stream
   * once they are at the same position. Settles when the stream of the caller ends.
   */
  open(call: ItemCall): Promise<Response>
}

/** The streams of one event type with the same arguments, for callers that may share them. */
type Group = Set<SharedStream>

export function createSharedStreams(subscriptions: Pick<WebhookSubscriptions, 'add'>): SharedStreams {
  /** Streams go through the middleware of the policies that they were opened under. */
  const byPolicies = new WeakMap<CombinedPolicies, Map<string, Group>>()

  const groupOf = (call: ItemCall): { readonly group: Group; forget(): void } => {
    const { policies } = call.caller
    const groups = byPolicies.get(policies) ?? new Map<string, Group>()
    byPolicies.set(policies, groups)
    const key = groupKey(call)
    const group = groups.get(key) ?? new Set()
    groups.set(key, group)
    return { group, forget: () => void (group.size === 0 && groups.get(key) === group && groups.delete(key)) }
  }
  const openStream = (call: ItemCall, start: EventStreamStart): SharedStream => {
    const { group, forget } = groupOf(call)
    const { route, caller } = call
    const exchange = route.upstream.exchangeUnder(caller.policies)
    const { auth } = caller
    const selection = { name: route.name, arguments: call.method.args(call.params) ?? {}, _meta: caller.sharedMeta }
    const send = (method: string, params: JsonObject, context: EventStreamContext): Promise<JsonObject> =>
      requestResult(exchange, { method, params }, { ...context, ...(auth && { auth }) })
    const { eventWebhook: webhook } = route.upstream.options
    const stream = createSharedStream({
      start,
      request: withWebhook(
        ({ cursor, maxAgeMs }, context) =>
          send(EventMethod.stream, { ...selection, cursor, ...(maxAgeMs !== undefined && { maxAgeMs }) }, context),
        webhook &&
          createWebhookStream({
            ...{ webhook, selection, onOpen: route.upstream.holds.add },
            subscribe: (params, signal) => send(EventMethod.subscribe, params, { signal, notify: () => {} }),
            add: (params, onEnded) => subscriptions.add({ upstream: route.upstream, params, auth }, onEnded),
          }),
      ),
      onMoved: (moved) => merge(moved, group),
      onEnd(ended) {
        group.delete(ended)
        forget()
      },
    })
    group.add(stream)
    return stream
  }

  return {
    async open(call) {
      const start = startOf(call)
      const follower = createFollower(call.context)
      const unsubscribe = onAbort(call.context, follower.fail)
      try {
        if (!join(follower, start, groupOf(call).group)) {
          const stream = openStream(call, start)
          stream.add(follower)
          stream.open()
        }
        await follower.ended
        return success(call.request.id, { resultType: 'complete' })
      } finally {
        unsubscribe()
        follower.end()
      }
    },
  }
}

/** Returns what callers have in common that share a stream: all that the rights at the server and the events depend on. */
function groupKey({ route, caller, method, params }: ItemCall): string {
  const { upstream } = route
  const rights = isForEachCaller(upstream) ? caller.key : caller.capabilitiesKey
  return canonicalJson([upstream.id, rights, route.name, method.args(params) ?? {}])
}

/** Reports whether a server, or what is in front of it, may treat callers differently. */
function isForEachCaller({ needsIdentity, options }: GatewayUpstream): boolean {
  return needsIdentity || (options.middleware ?? []).length > 0
}

/** Returns where a caller wants to begin. A position that is no text is left to the server. */
function startOf({ params }: ItemCall): EventStreamStart {
  const { cursor = null, maxAgeMs } = params
  return { cursor: cursor as EventStreamStart['cursor'], maxAgeMs: cursor === null ? undefined : maxAgeMs }
}

/** Adds a caller to a stream that is at its position, or that will begin there. Returns false if there is none. */
function join(follower: Follower, start: EventStreamStart, group: Group): boolean {
  for (const stream of group) {
    if (!stream.isActive) {
      if (stream.start.cursor !== start.cursor || stream.start.maxAgeMs !== start.maxAgeMs) continue
      stream.add(follower)
      return true
    }
    const missed = missedBy(start, stream)
    if (!missed) continue
    const cursor = start.cursor !== null && stream.cursor !== null ? start.cursor : stream.cursor
    follower.send(notification(EventNotification.active, { cursor, truncated: false }))
    for (const message of missed) follower.send(message)
    stream.add(follower)
    return true
  }
  return false
}

/** Returns the messages that a caller is missing at the position of a stream; `undefined` if that is not known. */
function missedBy({ cursor, maxAgeMs }: EventStreamStart, stream: SharedStream) {
  if (cursor === null) return stream.isCurrent ? [] : undefined
  // A server without positions begins with new events, whatever the caller asks for.
  if (stream.cursor === null) return stream.isCurrent ? [] : undefined
  const missed = isString(cursor) ? stream.after(cursor) : undefined
  return maxAgeMs === undefined || missed?.length === 0 ? missed : undefined
}

/** Moves the callers of a stream to another one that has been at its position. */
function merge(moved: SharedStream, group: Group): void {
  if (group.size === 1 || moved.cursor === null) return
  for (const other of group) {
    if (other === moved || !other.isActive || !other.after(moved.cursor)) continue
    other.takeOver(moved)
    return
  }
}

/** Returns the request for a stream. A server that has none for these events is subscribed to with a webhook, if the gateway can receive it. */
function withWebhook(request: RequestEventStream, webhookStream: RequestEventStream | undefined): RequestEventStream {
  let isNeeded = false
  if (!webhookStream) return request
  return async (start, context) => {
    if (isNeeded) return webhookStream(start, context)
    try {
      return await request(start, context)
    } catch (error) {
      if (!(error instanceof RpcError) || !hasNoStream(error)) throw error
      isNeeded = true
      return webhookStream(start, context)
    }
  }
}

function hasNoStream(error: RpcError): boolean {
  if (error.code === ErrorCode.methodNotFound) return true
  return eventErrorName(error) === 'Unsupported' && isObject(error.data) && error.data.feature === 'deliveryMode'
}
