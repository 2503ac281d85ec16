import type { Endpoint } from '../endpoint.ts'
import { EVENT_HEADERS } from '../headers.ts'
import { encodeEvent } from '../sse.ts'
import type { EventSink, HttpReply } from '../types.ts'
import type { Reading } from './entries.ts'
import type { Ledger } from './ledger.ts'

/** A client that reads a stream which another process writes. */
export interface Follower {
  readonly closed: boolean
  /** Reads on: the stream may have grown. */
  pull(): void
  /** Lets go of the client, who comes back. */
  end(): void
  /** Calls back once, when the connection is over. */
  onClose(listener: () => void): void
}

export interface FollowerOptions {
  readonly endpoint: Endpoint
  readonly ledger: Ledger
  readonly tag: string
  readonly name: string
  /** The position of the last event that the client has. */
  readonly after: string
  readonly reply: HttpReply
  /** Whether this process may still send. */
  readonly held: () => boolean
}

/**
 * Sends a client what comes after a position, then what is added; the client's pace is its own. Ends with the stream, and when it cannot
 * be read on.
 */
export function createFollower(options: FollowerOptions, first: Reading): Follower {
  const { endpoint, ledger, tag, name, reply, held } = options
  const { retryMs, backPressureBytes } = endpoint.limits
  let { after } = options
  let pulling = false
  let again = false

  const encode = ({ entries }: Reading): string =>
    entries
      .map(({ position, data }) => {
        after = position
        return encodeEvent({ id: `${tag}.${name}.${position}`, data, retry: data === '' ? retryMs : undefined })
      })
      .join('')
  const sink: EventSink = endpoint.streams.open(reply, encode(first) || undefined, EVENT_HEADERS)
  if (first.ended) sink.end()

  const readAll = async (): Promise<void> => {
    while (again && !sink.closed) {
      again = false
      if (sink.bufferedBytes > backPressureBytes) await sink.lag
      const reading = await ledger.readOn(name, after)
      if (!held()) return sink.end()
      if (reading.entries.length > 0) void sink.write(encode(reading))
      if (reading.ended) sink.end()
    }
  }
  const pull = (): void => {
    again = true
    if (pulling) return
    pulling = true
    readAll()
      .catch(() => sink.end())
      .finally(() => {
        pulling = false
        if (again && !sink.closed) pull()
      })
  }
  return {
    get closed() {
      return sink.closed
    },
    pull,
    end: () => sink.end(),
    onClose: (listener) => sink.onClose(listener),
  }
}
