import { onAbort } from '../../../../util/src/abort.ts'
import { deriveContext } from '../../jsonrpc/exchange.ts'
import { isObject, type JsonObject, type Notification, type Response, success } from '../../jsonrpc/message.ts'
import { EventNotification } from '../../protocol/events.ts'
import { MetaKey } from '../../protocol/meta.ts'
import type { ForwardCall } from './forward-call.ts'
import type { CallerRequest } from './item-call.ts'

/** The open `events/stream` requests of a gateway. Each has a stream of its own to the server. */
export interface GatewayEventStreams {
  /** Forwards a request. Settles when the server, the client or the gateway ends the stream. */
  open(call: CallerRequest, forward: ForwardCall): Promise<Response>
  /** Ends all streams with a result. */
  close(): void
}

/** The notifications of a stream. `listChanged` belongs to `subscriptions/listen`. */
const STREAMED: ReadonlySet<string> = new Set(
  Object.values(EventNotification).filter((method) => method !== EventNotification.listChanged),
)

export function createGatewayEventStreams(): GatewayEventStreams {
  const open = new Set<AbortController>()
  let isClosed = false
  return {
    async open(call, forward) {
      const { request, context } = call
      const controller = new AbortController()
      const unsubscribe = onAbort(context, (reason) => controller.abort(reason))
      open.add(controller)
      const notify = (notification: Notification): void | Promise<void> =>
        controller.signal.aborted || !STREAMED.has(notification.method)
          ? undefined
          : context.notify(exposeNotification(notification, call))
      const ended: JsonObject = { resultType: 'complete', _meta: { [MetaKey.subscriptionId]: request.id } }
      try {
        if (isClosed) return success(request.id, ended)
        const derived = deriveContext(context, { signal: controller.signal, notify, onAbort: undefined })
        const response = await forward({ ...call, context: derived })
        return 'result' in response ? success(request.id, { ...response.result, ...ended }) : response
      } catch (error) {
        if (controller.signal.aborted && !context.signal.aborted) return success(request.id, ended)
        throw error
      } finally {
        open.delete(controller)
        unsubscribe()
      }
    },
    close() {
      isClosed = true
      for (const controller of open) controller.abort(new Error('The gateway is closing'))
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
