import { UnreadableAnswer } from '../../jsonrpc/errors.ts'
import type { Message } from '../../jsonrpc/message.ts'
import { pause } from '../../jsonrpc/waiting.ts'
import type { Call } from './call.ts'
import type { HttpClientLimits } from './client-limits.ts'
import { Header } from './headers.ts'
import { isEventStream } from './media.ts'
import { type Position, readMessages } from './messages.ts'
import { retryAfter } from './timing.ts'

/** What keeps a standing stream. */
export interface StandingOptions {
  readonly limits: HttpClientLimits
  /** Ends it. */
  readonly signal: AbortSignal
  /** Asks for the stream, from an event on when there is one. */
  readonly open: (eventId: string | undefined) => Promise<Call>
  readonly onMessage: (message: Message) => void | Promise<void>
  /** Gets what could not be read; the stream is then not picked up where it was, for there it would be again. */
  readonly onError: (error: unknown) => void
  /** The stream is back, and nothing tells what it would have said meanwhile. */
  readonly onGap: () => void
  /** The server, which had the stream, does not know of it any more. */
  readonly onUnknown: () => void
  /** The first try has come to something. Called at least once. */
  readonly onFirst: () => void
}

/** After so long a stream counts as one that works, even if nothing came. */
const STEADY_MS = 10_000
const PASSING = new Set([408, 425, 429])
/** What a server that had the stream says when it does not know its session any more; 400 where it keeps sessions in its own way. */
const FORGOTTEN = new Set([400, 404])

/**
 * Keeps the stream open on which a server of the legacy era says what belongs to no request. It comes back for as long as it takes, with
 * growing pauses; a server that has no such stream is believed at once. Resolves when there will be no other try.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#listening-for-messages-from-the-server
 */
export async function keepStanding(options: StandingOptions): Promise<void> {
  const { limits, signal } = options
  const position: Position = {}
  let failures = 0
  let stood = false
  while (!signal.aborted) {
    const outcome = await visit(options, position, stood)
    options.onFirst()
    if (outcome === 'never') return
    if (outcome === 'unknown') return options.onUnknown()
    stood ||= outcome !== 'failed'
    failures = outcome === 'steady' ? 0 : failures + 1
    await pause(retryAfter(limits, position.retryMs, failures), signal).catch(() => {})
  }
}

/** How one stretch of the stream went: it worked, it was cut short, it could not be had; or it cannot be had at all. */
type Outcome = 'steady' | 'brief' | 'failed' | 'unknown' | 'never'

async function visit(options: StandingOptions, position: Position, stood: boolean): Promise<Outcome> {
  const { eventId } = position
  let startedAt: number | undefined
  let messages = 0
  try {
    const call = await options.open(eventId)
    const refusal = judge(call, stood)
    if (refusal) {
      call.release()
      if (eventId === undefined) return refusal
      position.eventId = undefined
      return 'failed'
    }
    startedAt = performance.now()
    options.onFirst()
    if (stood && eventId === undefined) options.onGap()
    for await (const message of readMessages(call, position)) {
      messages++
      await options.onMessage(message)
    }
  } catch (error) {
    if (startedAt === undefined) return 'failed'
    if (error instanceof UnreadableAnswer) {
      options.onError(error)
      position.eventId = undefined
    }
  }
  return messages > 0 || performance.now() - startedAt > STEADY_MS ? 'steady' : 'brief'
}

/** What an answer to the request for the stream says, if it is not the stream. */
function judge(call: Call, stood: boolean): Outcome | undefined {
  const { status, ok, header } = call
  if (ok && isEventStream(header(Header.contentType))) return undefined
  if (stood && FORGOTTEN.has(status)) return 'unknown'
  return stood || status >= 500 || PASSING.has(status) ? 'failed' : 'never'
}
