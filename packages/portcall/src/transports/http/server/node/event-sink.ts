import type { ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import type { FlatHeaders } from '../../common/headers.ts'
import type { HttpLimits } from '../limits.ts'
import type { EventSink } from '../types.ts'

/** Responses up to this size fit into the send buffer of the kernel, even if the client does not read. */
export const SMALL_RESPONSE_BYTES: number = 64 * 1024

/** Larger text is written at once. Less text waits until the end of the tick, so that all of it goes out in one write. */
const MAX_BATCHED_LENGTH = 32 * 1024

/** The writable end of a connection: a response of `node:http`, or the socket itself. */
export type Output = Writable & { setTimeout(ms: number): unknown }

/** An event stream on a connection of Node. The text of one tick goes out in one write. */
export abstract class BatchedEventSink<T extends Output> implements EventSink {
  drained: Promise<void> | undefined
  protected readonly output: T
  #limits: HttpLimits
  #batched = ''
  #hasWriteTimeout = false
  #onDrained: (() => void) | undefined

  constructor(output: T, limits: HttpLimits) {
    this.output = output
    this.#limits = limits
  }

  get closed(): boolean {
    return this.output.destroyed || this.output.writableEnded
  }

  get bufferedBytes(): number {
    return this.output.writableLength + this.#batched.length
  }

  /** Called before the first text of a tick is batched. */
  protected abstract startBatch(): void

  /** Sends the batched text. */
  protected abstract sendBatch(text: string): void

  /** Sends the batched text, if any, and the end of the stream. */
  protected abstract sendEnd(text: string): void

  abstract onClose(listener: () => void): void

  write(text: string): void | Promise<void> {
    if (this.closed) return
    if (this.#batched === '') {
      this.startBatch()
      process.nextTick(flush, this)
    }
    this.#batched += text
    if (this.#batched.length > MAX_BATCHED_LENGTH) this.flush()
    if (!this.drained && this.output.writableLength > this.#limits.highWaterMarkBytes) this.drained = this.waitForDrain()
    return this.drained
  }

  /** Writes the batched text, with the response head if it comes first. */
  flush(): void {
    const text = this.#takeBatch()
    if (text !== '') this.sendBatch(text)
  }

  sendHeartbeat(comment: string): void {
    if (this.bufferedBytes > 0) this.#startWriteTimeout()
    else void this.write(comment)
  }

  end(): void {
    if (this.closed) return
    this.sendEnd(this.#takeBatch())
    if (this.output.writableLength > SMALL_RESPONSE_BYTES) this.#startWriteTimeout()
  }

  destroy(): void {
    this.output.destroy()
  }

  /** Resolves `drained`. Called when all output was sent, and when the stream is closed. */
  protected settle(): void {
    this.#onDrained?.()
  }

  /** Returns a promise that resolves when the output has drained, and when the stream is closed. */
  protected waitForDrain(): Promise<void> {
    this.#startWriteTimeout()
    return new Promise((resolve) => {
      const done = (): void => {
        this.drained = undefined
        this.#onDrained = undefined
        this.output.off('drain', done).off('close', done)
        resolve()
      }
      this.#onDrained = done
      this.output.once('drain', done).once('close', done)
    })
  }

  #takeBatch(): string {
    const text = this.#batched
    this.#batched = ''
    return text
  }

  #startWriteTimeout(): void {
    if (this.#hasWriteTimeout) return
    this.#hasWriteTimeout = true
    destroyOnStall(this.output, this.#limits.writeTimeoutMs)
    this.output.once('drain', () => (this.#hasWriteTimeout = false))
  }
}

/** An event stream on a response of `node:http`. */
class ResponseEventSink extends BatchedEventSink<ServerResponse> {
  constructor(response: ServerResponse, limits: HttpLimits) {
    super(response, limits)
    response.on('error', ignore)
  }

  protected startBatch(): void {
    this.output.socket?.cork()
  }

  protected sendBatch(text: string): void {
    if (!this.closed) this.output.write(text)
    this.output.socket?.uncork()
  }

  protected sendEnd(text: string): void {
    const { socket } = this.output
    socket?.cork()
    if (text !== '') this.sendBatch(text)
    this.output.end()
    socket?.uncork()
  }

  onClose(listener: () => void): void {
    if (this.output.destroyed) listener()
    else this.output.on('close', listener)
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
  const sink = new ResponseEventSink(response, limits)
  if (sink.closed) return sink
  response.writeHead(status, headers as string[])
  if (first !== undefined) void sink.write(first)
  // Flushed separately, the head is stored as one flat string. Concatenated with what follows, V8 would retain all of its parts.
  response.flushHeaders()
  return sink
}

/** A connection with an error is closed as well, which is handled. */
function ignore(): void {}

function flush(sink: BatchedEventSink<Output>): void {
  sink.flush()
}

/** Destroys the connection if no buffered data goes out for `writeTimeoutMs`. A reader that is merely slow is not affected. */
export function destroyOnStall(output: Output, writeTimeoutMs: number): void {
  output.setTimeout(writeTimeoutMs)
  if (output.listenerCount('timeout') > 0) return
  output.on('timeout', () => (output.writableLength > 0 ? output.destroy() : output.setTimeout(0)))
}
