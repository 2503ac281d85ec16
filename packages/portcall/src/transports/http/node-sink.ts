import type { ServerResponse } from 'node:http'
import type { FlatHeaders } from './headers.ts'
import type { HttpLimits } from './limits.ts'
import type { EventSink } from './types.ts'

/** An answer up to this size fits into what the kernel takes, whatever its reader does. */
export const SMALL_ANSWER: number = 64 * 1024

/** So much text leaves at once; less waits for the end of the tick, to leave in one write with what else is said in it. */
const GATHERED = 32 * 1024

/** The open end of a stream on Node's own response. */
export class NodeSink implements EventSink {
  lag: Promise<void> | undefined
  #response: ServerResponse
  #limits: HttpLimits
  #gathered = ''
  #watched = false

  constructor(response: ServerResponse, limits: HttpLimits) {
    this.#response = response
    this.#limits = limits
    response.on('error', ignore)
  }

  get closed(): boolean {
    return this.#response.destroyed || this.#response.writableEnded
  }

  get bufferedBytes(): number {
    return this.#response.writableLength + this.#gathered.length
  }

  write(text: string): void | Promise<void> {
    if (this.closed) return
    if (this.#gathered === '') {
      this.#response.socket?.cork()
      process.nextTick(flush, this)
    }
    this.#gathered += text
    if (this.#gathered.length > GATHERED) this.flush()
    if (!this.lag && this.#response.writableLength > this.#limits.backPressureBytes) this.lag = this.#caughtUp()
    return this.lag
  }

  /** Sends what was gathered, and the head when it is the first. */
  flush(): void {
    const text = this.#gathered
    if (text === '') return
    this.#gathered = ''
    if (!this.closed) this.#response.write(text)
    this.#response.socket?.uncork()
  }

  keepAlive(comment: string): void {
    if (this.bufferedBytes > 0) this.#watch()
    else void this.write(comment)
  }

  end(): void {
    if (this.closed) return
    const { socket } = this.#response
    socket?.cork()
    this.flush()
    this.#response.end()
    socket?.uncork()
    if (this.#response.writableLength > SMALL_ANSWER) this.#watch()
  }

  cut(): void {
    this.#response.destroy()
  }

  onClose(listener: () => void): void {
    if (this.#response.destroyed) listener()
    else this.#response.on('close', listener)
  }

  #caughtUp(): Promise<void> {
    this.#watch()
    return new Promise((resolve) => {
      const done = (): void => {
        this.lag = undefined
        this.#response.off('drain', done).off('close', done)
        resolve()
      }
      this.#response.once('drain', done).once('close', done)
    })
  }

  #watch(): void {
    if (this.#watched) return
    this.#watched = true
    cutWhenStalled(this.#response, this.#limits.stallMs)
    this.#response.once('drain', () => (this.#watched = false))
  }
}

/** The end of a stream that never began: its answer was given before. */
export const CLOSED: EventSink = {
  closed: true,
  bufferedBytes: 0,
  lag: undefined,
  write() {},
  keepAlive() {},
  end() {},
  cut() {},
  onClose: (listener) => listener(),
}

/** How a stream begins. */
export interface Opening {
  readonly status: number
  readonly headers: FlatHeaders
  readonly first: string | undefined
}

/** Sends the head and the first piece of a stream. */
export function openSink(response: ServerResponse, { status, headers, first }: Opening, limits: HttpLimits): EventSink {
  if (response.headersSent) return CLOSED
  const sink = new NodeSink(response, limits)
  if (sink.closed) return sink
  response.writeHead(status, headers as string[])
  if (first !== undefined) void sink.write(first)
  // Written by itself the head becomes one flat string; as the beginning of what follows it would be kept in all its pieces.
  response.flushHeaders()
  return sink
}

/** A connection that fails is closed too. */
function ignore(): void {}

function flush(sink: NodeSink): void {
  sink.flush()
}

/** Cuts the connection when nothing of what was written has gone out for `stallMs`; a reader that is only slow is left alone. */
export function cutWhenStalled(response: ServerResponse, stallMs: number): void {
  response.setTimeout(stallMs)
  if (response.listenerCount('timeout') > 0) return
  response.on('timeout', () => (response.writableLength > 0 ? response.destroy() : response.setTimeout(0)))
}
