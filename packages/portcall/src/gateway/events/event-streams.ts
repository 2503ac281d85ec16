import { onAbort } from '../../../../util/src/abort.ts'
import { createTurns } from '../../../../util/src/turns.ts'
import { RpcError } from '../../jsonrpc/errors.ts'
import { deriveContext } from '../../jsonrpc/exchange.ts'
import { isObject, type JsonObject, type Notification, type Response, success } from '../../jsonrpc/message.ts'
import { identityOf } from '../../protocol/caller-identity.ts'
import { EVENT_ERROR_CODES, type EventErrorData, EventNotification } from '../../protocol/events.ts'
import { MetaKey } from '../../protocol/meta.ts'
import type { ForwardCall } from '../calls/forward-call.ts'
import type { CallerRequest } from '../calls/item-call.ts'
import type { ItemRoute, Router } from '../calls/router.ts'
import { Caller } from '../policy/caller.ts'
import type { CombinedPolicies } from '../policy/combine.ts'
import { EVENT_METHOD } from '../policy/item-methods.ts'
import type { GatewayUpstream } from '../upstreams/upstream.ts'

/** The open `events/stream` requests of a gateway. */
export interface GatewayEventStreams {
  /** Forwards a request. Settles when the server, the client or the gateway ends the stream. */
  open(call: CallerRequest, forward: ForwardCall): Promise<Response>
  /**
   * Ends the streams of event types that their callers may no longer receive, because the servers or the policies have changed. Those of servers that were
   * replaced end with a result, so that callers come back at their positions.
   */
  check(): void
  /** Ends all streams with a result. */
  close(): void
}

export interface GatewayEventStreamsOptions {
  readonly router: Router
  /** Returns the current policies. */
  readonly policies: () => CombinedPolicies
}

/** An open stream, and what ends it. */
interface OpenStream {
  readonly call: CallerRequest
  readonly controller: AbortController
  /** Resolves to the server; `undefined` if it cannot be found. */
  readonly upstream: Promise<GatewayUpstream | undefined>
}

/** The notifications of a stream. `listChanged` belongs to `subscriptions/listen`. */
const STREAMED: ReadonlySet<string> = new Set(
  Object.values(EventNotification).filter((method) => method !== EventNotification.listChanged),
)

/** The streams of all callers, and of one of them. */
const LIMITS = { maxStreams: 10_000, maxPrincipalStreams: 100 }

export function createGatewayEventStreams({ router, policies }: GatewayEventStreamsOptions): GatewayEventStreams {
  const streams = new Set<OpenStream>()
  const turns = createTurns({ limit: LIMITS.maxStreams, maxOwned: LIMITS.maxPrincipalStreams })
  let isClosed = false

  const find = async ({ params = {} }: CallerRequest['request'], caller: Caller): Promise<ItemRoute | undefined> =>
    router.find(EVENT_METHOD.itemOf(params), caller)
  /** Returns the server from which the caller of a stream may receive its events now; `undefined` if there is none. */
  const findAllowed = async ({ request, context }: CallerRequest): Promise<GatewayUpstream | undefined> => {
    const caller = new Caller(request, context, policies())
    const { params = {}, method } = request
    const route = await find(request, caller)
    if (!route || caller.policies.isEmpty) return route?.upstream
    const { server, kind, name, definition } = route
    const args = EVENT_METHOD.args(params)
    const decision = await caller.policies.decide({
      server,
      kind,
      name,
      definition,
      method,
      args,
      caller,
      signal: context.signal,
    })
    // What the caller was asked has been answered when the stream was opened.
    const isAllowed = decision === 'allow' || (typeof decision === 'object' && 'ask' in decision)
    return isAllowed ? route.upstream : undefined
  }
  const checkOne = async (stream: OpenStream): Promise<void> => {
    const upstream = await findAllowed(stream.call)
    if (!upstream) terminate(stream)
    else if (upstream !== (await stream.upstream)) stream.controller.abort(new Error('The server of these events was replaced'))
  }
  const terminate = ({ call, controller }: OpenStream): void => {
    if (controller.signal.aborted) return
    const error = EVENT_METHOD.unknown(call.request.params ?? {}).body()
    const terminated: Notification = { jsonrpc: '2.0', method: EventNotification.terminated, params: { error } }
    void call.context.notify(exposeNotification(terminated, call))
    controller.abort(new Error('The caller may no longer receive these events'))
  }

  const tooMany = (): RpcError => {
    const limit = turns.isFull ? 'maxStreams' : 'maxPrincipalStreams'
    const data: EventErrorData['ResourceExhausted'] = { limit, max: LIMITS[limit] }
    return new RpcError(EVENT_ERROR_CODES.spec.ResourceExhausted, 'Too many open streams of events', data)
  }

  return {
    async open(call, forward) {
      const { request, context } = call
      const owner = identityOf(request, context)
      if (turns.begin({}, owner) !== true) throw tooMany()
      const controller = new AbortController()
      const { signal } = controller
      const upstream = find(request, call.caller).then(
        (route) => route?.upstream,
        () => undefined,
      )
      const stream: OpenStream = { call, controller, upstream }
      const unsubscribe = onAbort(context, (reason) => controller.abort(reason))
      const notify = (notification: Notification): void | Promise<void> => {
        if (!signal.aborted && STREAMED.has(notification.method)) return context.notify(exposeNotification(notification, call))
      }
      const ended: JsonObject = { resultType: 'complete', _meta: { [MetaKey.subscriptionId]: request.id } }
      streams.add(stream)
      try {
        if (isClosed) return success(request.id, ended)
        const response = await forward({ ...call, context: deriveContext(context, { signal, notify, onAbort: undefined }) })
        return 'result' in response ? success(request.id, { ...response.result, ...ended }) : response
      } catch (error) {
        if (signal.aborted && !context.signal.aborted) return success(request.id, ended)
        throw error
      } finally {
        streams.delete(stream)
        turns.end(owner)
        unsubscribe()
      }
    },
    check() {
      // If a server cannot be reached, its stream ends by itself.
      for (const stream of streams) checkOne(stream).catch(() => {})
    },
    close() {
      isClosed = true
      for (const { controller } of streams) controller.abort(new Error('The gateway is closing'))
    },
  }
}

/** Returns a notification of a server with the id of the caller's stream. An event has the name that the caller knows. */
function exposeNotification({ method, params = {}, ...rest }: Notification, { request }: CallerRequest): Notification {
  const meta = isObject(params._meta) ? params._meta : undefined
  const exposed = method === EventNotification.event ? exposeOccurrence(params, request.params?.name) : params
  return { ...rest, method, params: { ...exposed, _meta: { ...meta, [MetaKey.subscriptionId]: request.id } } }
}

/** Returns an event with the name under which the caller asked for it: a server must not use the names of other servers. */
export function exposeOccurrence(occurrence: JsonObject, name: unknown): JsonObject {
  return { ...occurrence, name }
}
