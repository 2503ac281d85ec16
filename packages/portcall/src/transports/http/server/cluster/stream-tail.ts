import { EVENT_HEADERS } from '../../common/headers.ts'
import { encodeEvent } from '../../common/sse-encode.ts'
import { watchTokenExpiry } from '../token-expiry.ts'
import type { EventSink, HttpContext } from '../types.ts'
import type { ClusterSession, StreamTail } from './cluster-session.ts'
import type { StreamRead } from './log-codec.ts'
import type { ClusterNode } from './node.ts'

/** A GET request of a client for a stream of its session. */
export interface StreamRequest {
  readonly session: ClusterSession
  /** The name of the stream. */
  readonly name: string
  readonly context: HttpContext
}

export interface TailStart extends StreamRequest {
  /** The position of the last event that the client has. */
  readonly after: string
  /** The events after that position. */
  readonly first: StreamRead
}

export interface OpenTail extends StreamRequest {
  readonly tail: StreamTail
}

/** The tails of this node. */
export interface StreamTails {
  /** Answers a request with a stream. */
  open(start: TailStart): void
  list(): OpenTail[]
}

export function createStreamTails(node: ClusterNode): StreamTails {
  const openTails = new Set<OpenTail>()
  return {
    open(start) {
      const { session, name, context } = start
      session.tails.get(name)?.end()
      const tail = createStreamTail(node, start)
      if (tail.isClosed) return
      const entry = { session, name, context, tail }
      session.tails.set(name, tail)
      openTails.add(entry)
      tail.onClose(() => {
        openTails.delete(entry)
        if (session.tails.get(name) === tail) session.tails.delete(name)
      })
      tail.pull()
    },
    list: () => [...openTails],
  }
}

/**
 * Sends the events after a position and all later ones, at the pace of the client. Ends with the stream, when the stream cannot be read, and
 * when this node has lost its lease.
 */
function createStreamTail({ endpoint, lease }: ClusterNode, start: TailStart): StreamTail {
  const { session, name, context, first } = start
  const { eventIdPrefix } = session.stored.record
  const { retryDelayMs, highWaterMarkBytes } = endpoint.limits
  let { after } = start
  let isPulling = false
  let mayHaveMore = false

  const encode = ({ events }: StreamRead): string =>
    events
      .map(({ position, data }) => {
        after = position
        return encodeEvent({ id: `${eventIdPrefix}.${name}.${position}`, data, retry: data === '' ? retryDelayMs : undefined })
      })
      .join('')
  const sink: EventSink = endpoint.streams.open(context, encode(first) || undefined, EVENT_HEADERS)
  const expiry = watchTokenExpiry(context.auth, () => sink.end())
  sink.onClose(() => expiry?.cancel())
  if (first.isEnded) sink.end()

  const sendAll = async (): Promise<void> => {
    while (mayHaveMore && !sink.closed) {
      mayHaveMore = false
      if (sink.bufferedBytes > highWaterMarkBytes) await sink.drained
      const read = await session.logs.readAfter(name, after)
      if (!lease.isHeld()) return sink.end()
      if (read.events.length > 0) void sink.write(encode(read))
      if (read.isEnded) sink.end()
    }
  }
  const pull = (): void => {
    mayHaveMore = true
    if (isPulling) return
    isPulling = true
    sendAll()
      .catch(() => sink.end())
      .finally(() => {
        isPulling = false
        if (mayHaveMore && !sink.closed) pull()
      })
  }
  return {
    get isClosed() {
      return sink.closed
    },
    pull,
    end: () => sink.end(),
    onClose: (listener) => sink.onClose(listener),
  }
}
