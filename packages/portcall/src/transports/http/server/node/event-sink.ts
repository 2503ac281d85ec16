import type { ServerResponse } from 'node:http'
import type { FlatHeaders } from '../../common/headers.ts'
import type { HttpLimits } from '../limits.ts'
import type { EventSink } from '../types.ts'

/** Responses up to this size fit into the send buffer of the kernel, even if the client does not read. */
export const SMALL_RESPONSE_BYTES: number = 64 * 1024

/** Larger text is written at once. Less text waits until the end of the tick, so that all of it goes out in one write. */
const MAX_BATCHED_LENGTH = 32 * 1024

/** An event stream on Node's `ServerResponse`. */
export class NodeEventSink implements EventSink {
  drained: Promise<void> | undefined
  #response: ServerResponse
  #limits: HttpLimits
  #batched = ''
  #hasWriteTimeout = false

  constructor(response: ServerResponse, limits: HttpLimits) {
    this.#response = response
    this.#limits = limits
    response.on('error', ignore)
  }

  get closed(): boolean {
    return this.#response.destroyed || this.#response.writableEnded
  }

  get bufferedBytes(): number {
    return this.#response.writableLength + this.#batched.length
  }

  write(text: string): void | Promise<void> {
    if (this.closed) return
    if (this.#batched === '') {
      this.#response.socket?.cork()
      process.nextTick(flush, this)
    }
    this.#batched += text
    if (this.#batched.length > MAX_BATCHED_LENGTH) this.flush()
    if (!this.drained && this.#response.writableLength > this.#limits.highWaterMarkBytes) this.drained = this.#waitForDrain()
    return this.drained
  }

  /** Writes the batched text, with the response head if it comes first. */
  flush(): void {
    const text = this.#batched
    if (text === '') return
    this.#batched = ''
    if (!this.closed) this.#response.write(text)
    this.#response.socket?.uncork()
  }

  sendHeartbeat(comment: string): void {
    if (this.bufferedBytes > 0) this.#startWriteTimeout()
    else void this.write(comment)
  }

  end(): void {
    if (this.closed) return
    const { socket } = this.#response
    socket?.cork()
    this.flush()
    this.#response.end()
    socket?.uncork()
    if (this.#response.writableLength > SMALL_RESPONSE_BYTES) this.#startWriteTimeout()
  }

  destroy(): void {
    this.#response.destroy()
  }

  onClose(listener: () => void): void {
    if (this.#response.destroyed) listener()
    else this.#response.on('close', listener)
  }

  #waitForDrain(): Promise<void> {
    this.#startWriteTimeout()
    return new Promise((resolve) => {
      const done = (): void => {
        this.drained = undefined
        this.#response.off('drain', done).off('close', done)
        resolve()
      }
      this.#response.once('drain', done).once('close', done)
    })
  }

  #startWriteTimeout(): void {
    if (this.#hasWriteTimeout) return
    this.#hasWriteTimeout = true
    destroyOnStall(this.#response, this.#limits.writeTimeoutMs)
    this.#response.once('drain', () => (this.#hasWriteTimeout = false))
  }
}

/** A stream that was never opened, because the request was already answered. */
export const CLOSED_SINK: EventSink = {
  closed: true,
  bufferedBytes: 0,
  drained: undefined,
  write() {},
  sendHeartbeat() {},
  end() {},
  destroy() {},
  onClose: (listener) => listener(),
}

/** The start of a stream. */
export interface StreamHead {
  readonly status: number
  readonly headers: FlatHeaders
  /** The first text. */
  readonly first: string | undefined
}

/** Sends the head and the first text of a stream. */
export function openEventSink(response: ServerResponse, { status, headers, first }: StreamHead, limits: HttpLimits): EventSink {
  if (response.headersSent) return CLOSED_SINK
  const sink = new NodeEventSink(response, limits)
  if (sink.closed) return sink
  response.writeHead(status, headers as string[])
  if (first !== undefined) void sink.write(first)
  // Flushed separately, the head is stored as one flat string. Concatenated with what follows, V8 would retain all of its parts.
  response.flushHeaders()
  return sink
}

/** A connection with an error is closed as well, which is handled. */
function ignore(): void {}

function flush(sink: NodeEventSink): void {
  sink.flush()
}

/** Destroys the connection if no buffered data goes out for `writeTimeoutMs`. A reader that is merely slow is not affected. */
export function destroyOnStall(response: ServerResponse, writeTimeoutMs: number): void {
  response.setTimeout(writeTimeoutMs)
  if (response.listenerCount('timeout') > 0) return
  response.on('timeout', () => (response.writableLength > 0 ? response.destroy() : response.setTimeout(0)))
}
