import type { Message } from '../../jsonrpc/message.ts'
import { unref } from '../../jsonrpc/waiting.ts'
import { DROPPABLE } from '../../protocol/methods.ts'
import type { FlatHeaders } from './headers.ts'
import { EVENT_HEADERS } from './headers.ts'
import type { HttpLimits } from './limits.ts'
import { KEEP_ALIVE } from './sse.ts'
import type { EventSink, HttpReply } from './types.ts'

/** All open event streams of an endpoint: they are kept alive, and bounded, together. */
export interface Streams {
  readonly size: number
  /** Answers with a stream that begins with `first`. */
  open(reply: HttpReply, first?: string, headers?: FlatHeaders): EventSink
  /** Sends a message, already encoded, unless the reader is too far behind: then it is dropped, or the stream is cut. */
  deliver(sink: EventSink, message: Message, text: string): void | Promise<void>
  /** Cuts all streams. */
  cut(): void
}

/** Makes the register of open streams; one timer serves them all, and runs only while there are some. */
export function createStreams({ keepAliveMs, maxBufferedBytes }: HttpLimits): Streams {
  const open = new Set<EventSink>()
  let timer: ReturnType<typeof setInterval> | undefined
  const beat = (): void => {
    for (const sink of open) sink.keepAlive(KEEP_ALIVE)
    if (open.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
  return {
    get size() {
      return open.size
    },
    open(reply, first, headers = EVENT_HEADERS) {
      const sink = reply.open(200, headers, first)
      if (sink.closed) return sink
      open.add(sink)
      sink.onClose(() => void open.delete(sink))
      timer ??= unref(setInterval(beat, keepAliveMs))
      return sink
    },
    deliver(sink, message, text) {
      if (sink.bufferedBytes <= maxBufferedBytes || isResponse(message)) return sink.write(text)
      if (isDroppable(message)) return sink.lag
      sink.cut()
    },
    cut() {
      for (const sink of [...open]) sink.cut()
    },
  }
}

/** Tells whether a message may get lost without harm: the next one of its kind says more. */
export function isDroppable(message: Message): boolean {
  return 'method' in message && DROPPABLE.has(message.method)
}

/** Tells whether a message is an answer: there is one for each request, and it must not get lost. */
export function isResponse(message: Message): boolean {
  return !('method' in message)
}
