import { randomId } from '../../../../util/src/random.ts'
import { isString } from '../../../../util/src/strings.ts'
import { delay, unref } from '../../../../util/src/timers.ts'
import { refreshDelay, timeOf } from '../../events/client/webhook.ts'
import type { EventWebhook, WebhookListener } from '../../events/receiver/types.ts'
import { createWebhookSecret } from '../../events/signature.ts'
import { type JsonObject, type Notification, notification } from '../../jsonrpc/message.ts'
import { type EventCursor, EventMethod, EventNotification } from '../../protocol/events.ts'
import type { EventStreamContext, EventStreamStart, RequestEventStream } from './stream-requests.ts'
import type { SharedSubscription } from './webhook-subscriptions.ts'

export interface WebhookStreamOptions {
  readonly webhook: EventWebhook
  /** The name and the arguments of the events, as the server knows them, and metadata. */
  readonly selection: { readonly name: string; readonly arguments: JsonObject; readonly _meta: JsonObject }
  /** Subscribes at the server. @throws RpcError */
  readonly subscribe: (params: JsonObject, signal: AbortSignal) => Promise<JsonObject>
  /** Adds the subscription, with the params that end it, before it is made. */
  readonly add: (params: JsonObject, onEnded: () => void) => Promise<SharedSubscription>
  /** Called when a stream begins, with a promise that resolves when it has ended and the server knows it. */
  readonly onOpen: (ended: Promise<unknown>) => void
}

/** Less than the interval of the heartbeats of streams. */
const HEARTBEAT_INTERVAL_MS = 15_000
/** So many deliveries may arrive before the response of the server to the subscription. */
const MAX_WAITING = 16

/**
 * Creates the request for a stream of events that the server delivers to webhooks only: the gateway is the receiver. It settles as a stream does. The
 * secret and the URL are those of the gateway, one for each stream, and no caller sees them.
 */
export function createWebhookStream({ webhook, selection, subscribe, add, onOpen }: WebhookStreamOptions): RequestEventStream {
  const { _meta, ...registered } = selection
  const run = async (start: EventStreamStart, { signal, notify }: EventStreamContext, endings: Promise<unknown>[]) => {
    const url = new URL(webhook.url ?? '')
    url.searchParams.set('stream', randomId())
    const endpoint = { mode: 'webhook', url: url.href, secret: createWebhookSecret() }
    const output = createStreamOutput(start, notify)
    const subscription = await add({ ...selection, delivery: { mode: endpoint.mode, url: endpoint.url } }, output.end)
    const registration = await webhook.register({ ...registered, secret: endpoint.secret, listener: output.listener })
    const timer = unref(setInterval(output.beat, HEARTBEAT_INTERVAL_MS))
    try {
      while (!output.isEnded && !signal.aborted) {
        const { maxAgeMs } = start
        const position = { cursor: output.cursor, ...(maxAgeMs !== undefined && { maxAgeMs }) }
        const result = await subscribe({ ...selection, ...position, delivery: endpoint }, signal)
        const { id, refreshBefore } = result
        if (!isString(id) || id === '') throw new TypeError(`The result of ${EventMethod.subscribe} has no id`)
        const expiresAt = timeOf(isString(refreshBefore) ? refreshBefore : null)
        await Promise.all([registration.confirm(id, expiresAt), subscription.extend(expiresAt)])
        output.subscribed(result)
        await Promise.race([output.ended, delay(refreshDelay(result), signal)])
      }
    } finally {
      clearInterval(timer)
      endings.push(subscription.end())
      await registration.end()
    }
  }
  return (start, context) => {
    const endings: Promise<unknown>[] = []
    const running = run(start, context, endings)
    const ended = running.then(
      () => {},
      () => {},
    )
    onOpen(ended.then(() => Promise.all(endings)))
    return running
  }
}

/** Turns deliveries into the messages of a stream. Those that arrive before the subscription is known to be made wait for it. */
function createStreamOutput(start: EventStreamStart, notify: (message: Notification) => void) {
  let cursor: EventCursor = start.cursor
  let waiting: Notification[] | undefined = []
  let isEnded = false
  let resolveEnded!: () => void
  const ended = new Promise<void>((resolve) => {
    resolveEnded = resolve
  })
  const end = (): void => {
    isEnded = true
    resolveEnded()
  }
  const send = (method: string, params: JsonObject): void => {
    // The server sends it again.
    if (waiting && waiting.length >= MAX_WAITING) throw new Error('The subscription is not known to be made yet')
    if (isString(params.cursor)) cursor = params.cursor
    const message = notification(method, params)
    if (waiting) waiting.push(message)
    else notify(message)
  }
  const listener: WebhookListener = {
    onEvent: (event) => send(EventNotification.event, { ...event }),
    onGap: (position) => send(EventNotification.active, { cursor: position, truncated: true }),
    onTerminated(error) {
      send(EventNotification.terminated, { error })
      end()
    },
  }
  return {
    listener,
    ended,
    end,
    get isEnded() {
      return isEnded
    },
    get cursor() {
      return cursor
    },
    subscribed(result: JsonObject): void {
      const truncated = result.truncated === true
      const position = isString(result.cursor) ? result.cursor : null
      const messages = waiting ?? []
      const isFirst = waiting !== undefined
      waiting = undefined
      if (isFirst || truncated) notify(notification(EventNotification.active, { cursor: position, truncated }))
      if (isFirst && messages.length === 0) cursor = position
      for (const message of messages) notify(message)
    },
    beat: () => void (waiting || notify(notification(EventNotification.heartbeat, { cursor }))),
  }
}
