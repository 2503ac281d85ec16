import { backoffMs } from '../../../../util/src/backoff.ts'
import { interruptibleDelay, unref } from '../../../../util/src/timers.ts'
import type { Notification } from '../../jsonrpc/message.ts'
import { retryDelayOf } from '../../jsonrpc/retryable.ts'
import type { EventCursor } from '../../protocol/events.ts'

/** Where a stream of events begins. */
export interface EventStreamStart {
  readonly cursor: EventCursor
  readonly maxAgeMs: unknown
}

/** Requests a stream. Settles when the server ends it, or when it is lost. @throws RpcError if the server refuses it. */
export type RequestEventStream = (start: EventStreamStart, context: EventStreamContext) => Promise<unknown>

/** The end of the request for a stream, and the receiver of its messages. */
export interface EventStreamContext {
  readonly signal: AbortSignal
  notify(message: Notification): void
}

export interface StreamRequestsOptions {
  readonly request: RequestEventStream
  /** Returns where the next request begins. */
  readonly nextStart: () => EventStreamStart
  readonly onMessage: (message: Notification) => void
  /** Called when a request has ended, with the error if there is one. Returns whether another one follows. */
  readonly onLost: (error: unknown) => boolean
  /** Called now and then while there is no stream. */
  readonly onWaiting: () => void
}

/** The requests for a stream of events that is opened again whenever it is lost. */
export interface StreamRequests {
  open(): void
  close(): void
}

const RETRY = { firstMs: 250, maxMs: 30_000 }
/** A stream that was open for so long was not refused: the next one is opened at once. */
const STABLE_MS = 1000
const HEARTBEAT_INTERVAL_MS = 15_000
/** Two heartbeats of 30 seconds, and some time on the way. */
const SILENCE_TIMEOUT_MS = 65_000

export function createStreamRequests(options: StreamRequestsOptions): StreamRequests {
  const { request, nextStart, onMessage, onLost, onWaiting } = options
  const closing = new AbortController()
  let attempt: AbortController | undefined
  let messageAt = 0
  let timer: ReturnType<typeof setInterval> | undefined

  const requestOnce = async (): Promise<unknown> => {
    const own = new AbortController()
    attempt = own
    messageAt = Date.now()
    const signal = AbortSignal.any([own.signal, closing.signal])
    const notify = (message: Notification): void => {
      if (own !== attempt || signal.aborted) return
      messageAt = Date.now()
      onMessage(message)
    }
    try {
      await request(nextStart(), { signal, notify })
      return undefined
    } catch (error) {
      return error
    } finally {
      attempt = undefined
    }
  }
  const run = async (): Promise<void> => {
    let failures = 0
    while (!closing.signal.aborted) {
      const openedAt = Date.now()
      const error = await requestOnce()
      if (closing.signal.aborted || !onLost(error)) return
      if (Date.now() - openedAt >= STABLE_MS) failures = 0
      else await interruptibleDelay(Math.max(retryDelayOf(error) ?? 0, backoffMs(failures++, RETRY)), closing.signal)
    }
  }
  const check = (): void => {
    const isSilent = Date.now() - messageAt > SILENCE_TIMEOUT_MS
    if (!attempt) onWaiting()
    else if (isSilent) attempt.abort(new Error('The stream of events has been silent for too long'))
  }
  return {
    open() {
      timer = unref(setInterval(check, HEARTBEAT_INTERVAL_MS))
      void run()
    },
    close() {
      clearInterval(timer)
      closing.abort(new Error('No caller receives these events any more'))
    },
  }
}
