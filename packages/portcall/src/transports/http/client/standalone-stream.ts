import { delay } from '../../../../../util/src/timers.ts'
import { InvalidResponseError } from '../../../jsonrpc/errors.ts'
import type { Message } from '../../../jsonrpc/message.ts'
import { Header } from '../common/headers.ts'
import { isEventStream } from '../common/media-types.ts'
import type { HttpCall } from './http-call.ts'
import type { HttpClientLimits } from './limits.ts'
import { readMessages, type StreamPosition } from './response-reader.ts'
import { streamRetryDelayMs } from './retry-delay.ts'

export interface StandaloneStreamOptions {
  readonly limits: HttpClientLimits
  /** Ends the stream. */
  readonly signal: AbortSignal
  /** Requests the stream, from an event on if there is one. */
  readonly open: (eventId: string | undefined) => Promise<HttpCall>
  readonly onMessage: (message: Message) => void | Promise<void>
  /** Receives the error of an unreadable event. The stream is then not resumed, because it would repeat the event. */
  readonly onError: (error: unknown) => void
  /** Called when the stream is open again and messages may have been missed. */
  readonly onGap: () => void
  /** Called when the server no longer knows the session. */
  readonly onExpired: () => void
  /** Called, at least once, when the first attempt has succeeded or failed. */
  readonly onFirstAttempt: () => void
}

/** After this time a stream counts as stable, even if it carried no messages. */
const STABLE_MS = 10_000
/** The client errors that a later attempt may not have. */
const TEMPORARY = new Set([408, 425, 429])
/** The statuses of a server that has lost the session of an earlier stream. Some session implementations respond with 400. */
const SESSION_LOST = new Set([400, 404])

/**
 * Keeps the stream open on which a legacy server sends messages that belong to no request. Reconnects with increasing delays; a server
 * that does not support the stream is not asked again. Resolves after the last attempt.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#listening-for-messages-from-the-server
 */
export async function maintainStandaloneStream(options: StandaloneStreamOptions): Promise<void> {
  const { limits, signal } = options
  const position: StreamPosition = {}
  let failures = 0
  let wasOpen = false
  while (!signal.aborted) {
    const outcome = await readStream(options, position, wasOpen)
    options.onFirstAttempt()
    if (outcome === 'unsupported') return
    if (outcome === 'expired') return options.onExpired()
    wasOpen ||= outcome !== 'failed'
    failures = outcome === 'stable' ? 0 : failures + 1
    await delay(streamRetryDelayMs(limits, position.retryDelayMs, failures), signal).catch(() => {})
  }
}

/** The outcome of one connection. `unstable`: it ended soon and without a message. */
type Outcome = 'stable' | 'unstable' | 'failed' | 'expired' | 'unsupported'

async function readStream(options: StandaloneStreamOptions, position: StreamPosition, wasOpen: boolean): Promise<Outcome> {
  const { eventId } = position
  let openedAt: number | undefined
  let messages = 0
  try {
    const call = await options.open(eventId)
    const rejection = rejectionOf(call, wasOpen)
    if (rejection) {
      call.release()
      if (eventId === undefined) return rejection
      position.eventId = undefined
      return 'failed'
    }
    openedAt = performance.now()
    options.onFirstAttempt()
    if (wasOpen && eventId === undefined) options.onGap()
    for await (const message of readMessages(call, position)) {
      messages++
      await options.onMessage(message)
    }
  } catch (error) {
    if (openedAt === undefined) return 'failed'
    if (error instanceof InvalidResponseError) {
      options.onError(error)
      position.eventId = undefined
    }
  }
  return messages > 0 || performance.now() - openedAt > STABLE_MS ? 'stable' : 'unstable'
}

/** Returns what a response means that is not the stream. */
function rejectionOf({ status, ok, header }: HttpCall, wasOpen: boolean): Outcome | undefined {
  if (ok && isEventStream(header(Header.contentType))) return undefined
  if (wasOpen && SESSION_LOST.has(status)) return 'expired'
  return wasOpen || status >= 500 || TEMPORARY.has(status) ? 'failed' : 'unsupported'
}
