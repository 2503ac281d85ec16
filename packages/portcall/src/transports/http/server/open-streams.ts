import { MAX_TIMER_MS, unref } from '../../../../../util/src/timers.ts'
import type { Message } from '../../../jsonrpc/message.ts'
import { DROPPABLE_NOTIFICATIONS } from '../../../protocol/methods.ts'
import type { FlatHeaders } from '../common/headers.ts'
import { EVENT_HEADERS } from '../common/headers.ts'
import { HEARTBEAT } from '../common/sse-encode.ts'
import type { HttpLimits } from './limits.ts'
import type { EventSink, HttpReply } from './types.ts'

/** The open event streams of an endpoint. Sends keep-alive comments and limits the buffers. */
export interface OpenStreams {
  readonly size: number
  /** The number of bytes that readers have not taken yet. */
  readonly bufferedBytes: number
  /** Responds with a stream that starts with `first`. */
  open(reply: HttpReply, first?: string, headers?: FlatHeaders): EventSink
  /** Sends an encoded message. If the buffer is full, droppable messages are dropped and all others except responses close the stream. */
  send(sink: EventSink, message: Message, text: string): void | Promise<void>
  /** Closes all streams at once. */
  destroyAll(): void
}

/** Creates the set of open streams. One timer serves all streams; it runs only while there are any. */
export function createOpenStreams({ heartbeatIntervalMs, maxBufferedBytes }: HttpLimits): OpenStreams {
  const open = new Set<EventSink>()
  let timer: ReturnType<typeof setInterval> | undefined
  const beat = (): void => {
    for (const sink of open) sink.sendHeartbeat(HEARTBEAT)
    if (open.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
  return {
    get size() {
      return open.size
    },
    get bufferedBytes() {
      return [...open].reduce((sum, sink) => sum + sink.bufferedBytes, 0)
    },
    open(reply, first, headers = EVENT_HEADERS) {
      const sink = reply.open(200, headers, first)
      if (sink.closed) return sink
      open.add(sink)
      sink.onClose(() => void open.delete(sink))
      timer ??= unref(setInterval(beat, Math.min(heartbeatIntervalMs, MAX_TIMER_MS)))
      return sink
    },
    send(sink, message, text) {
      if (sink.bufferedBytes <= maxBufferedBytes || isResponse(message)) return sink.write(text)
      if (isDroppable(message)) return sink.drained
      sink.destroy()
    },
    destroyAll() {
      for (const sink of [...open]) sink.destroy()
    },
  }
}

/** Reports whether a message may be dropped because the next one of its kind supersedes it. */
export function isDroppable(message: Message): boolean {
  return 'method' in message && DROPPABLE_NOTIFICATIONS.has(message.method)
}

/** Reports whether a message is a response. Responses are never dropped: each request gets exactly one. */
export function isResponse(message: Message): boolean {
  return !('method' in message)
}
