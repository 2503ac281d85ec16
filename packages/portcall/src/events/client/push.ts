import { onAbort } from '../../../../util/src/abort.ts'
import type { Notification } from '../../jsonrpc/message.ts'
import { EventMethod, EventNotification } from '../../protocol/events.ts'
import { readError, readOccurrence } from '../receiver/webhook-content.ts'
import { EventSubscriptionError } from './errors.ts'
import { type EventMode, type EventSession, selectionOf } from './session.ts'

/** Two heartbeats of 30 seconds, and some time on the way. */
const SILENCE_TIMEOUT_MS = 65_000

/** Why a stream was closed from this side. */
class StreamClosed extends Error {
  readonly retryable = true
}

/** Creates the mode that receives events on an open stream. Each attempt is one stream. */
export function pushMode(session: EventSession): EventMode {
  const { request, inbox, options } = session
  const { silenceTimeoutMs = SILENCE_TIMEOUT_MS } = options

  const attempt = async (): Promise<void> => {
    await inbox.drained()
    session.signal.throwIfAborted()
    const controller = new AbortController()
    const unsubscribe = onAbort(session.signal, (reason) => controller.abort(reason))
    let timer: ReturnType<typeof setTimeout> | undefined
    const touch = (): void => {
      clearTimeout(timer)
      if (silenceTimeoutMs !== Infinity)
        timer = setTimeout(
          () => controller.abort(new StreamClosed('The stream of events has been silent for too long')),
          silenceTimeoutMs,
        )
    }
    const onNotification = (notification: Notification): void => {
      touch()
      receive(notification, session, controller)
      // It is opened again when what waits was handled.
      if (inbox.isFull) controller.abort(new StreamClosed('Events arrive faster than they are handled'))
    }
    touch()
    try {
      await request(EventMethod.stream, selectionOf(session), { signal: controller.signal, onNotification })
    } finally {
      clearTimeout(timer)
      unsubscribe()
    }
    throw new StreamClosed('The server has closed the stream of events')
  }
  return { attempt }
}

/** Passes a notification of a stream on. */
function receive({ method, params = {} }: Notification, session: EventSession, controller: AbortController): void {
  const { inbox } = session
  if (controller.signal.aborted) return
  if (method === EventNotification.event) {
    const event = readOccurrence(params)
    if (event) {
      const { _meta, ...occurrence } = event
      void inbox.add({ event: occurrence, cursor: params.cursor })
    } else session.onError(new TypeError('The stream of events contained something that is no event'))
  } else if (method === EventNotification.active) {
    session.activate()
    void inbox.add({ cursor: params.cursor, truncated: params.truncated === true })
  } else if (method === EventNotification.heartbeat) void inbox.add({ cursor: params.cursor })
  else if (method === EventNotification.error)
    session.onError(terminationOf(params.error, 'The server has trouble with the events'))
  else if (method === EventNotification.terminated) controller.abort(terminationOf(params.error))
}

/** Creates the error for a subscription that the server has ended. */
export function terminationOf(value: unknown, text = 'The server has ended the subscription'): EventSubscriptionError {
  const error = readError(value)
  return new EventSubscriptionError('terminated', `${text}: ${error.message} (${error.code})`, error)
}
