import { TimeoutError } from './errors.ts'
import type { ClientDeadlines } from './options.ts'

/** The time that one request has: begun anew by progress, up to a total, and standing still while somebody is asked. */
export interface Deadline {
  /** Aborted by the caller, or with a `TimeoutError`. It is made when it is first read. */
  readonly signal: AbortSignal
  /** Calls back with the reason when it is aborted; what it gives ends that. @throws the reason when it is aborted already. */
  onAbort(listener: (reason: unknown) => void): () => void
  /** Waits for something, but no longer than this lasts. @throws the reason for which it was aborted. */
  until<T>(promise: Promise<T>): Promise<T>
  throwIfAborted(): void
  /** There was progress. */
  extend(): void
  /** Whoever waits gets this reason. */
  abort(reason: unknown): void
  pause(): void
  resume(): void
  /** Ends it; nothing of it is left. */
  clear(): void
}

/** Deadlines that stand still together. */
export interface Clocks {
  /** Whoever starts a deadline adds it, and takes it away with its end. */
  readonly running: Set<Deadline>
  /** Does something that takes as long as a human needs: meanwhile no clock runs, since it cannot be told who waits for it. */
  stopped<T>(run: () => Promise<T>): Promise<T>
}

export function createClocks(): Clocks {
  const running = new Set<Deadline>()
  return {
    running,
    async stopped(run) {
      const paused = [...running]
      for (const deadline of paused) deadline.pause()
      try {
        return await run()
      } finally {
        for (const deadline of paused) deadline.resume()
      }
    },
  }
}

/** Starts the deadline of a request. `Infinity` for no limit. */
export function startDeadline(method: string, limits: ClientDeadlines, signal?: AbortSignal): Deadline {
  return new RequestDeadline(method, limits, signal)
}

/** An AbortController costs more than all else of a call in memory: there is one only where somebody reads the signal. */
class RequestDeadline implements Deadline {
  readonly #method: string
  readonly #limits: ClientDeadlines
  readonly #given: AbortSignal | undefined
  readonly #listeners = new Set<(reason: unknown) => void>()
  #controller: AbortController | undefined
  #aborted: { reason: unknown } | undefined
  #usedMs = 0
  #startedAt = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #pauses = 0

  constructor(method: string, limits: ClientDeadlines, given: AbortSignal | undefined) {
    this.#method = method
    this.#limits = limits
    this.#given = given
    if (given?.aborted) this.abort(given.reason)
    else given?.addEventListener('abort', this)
    this.#start()
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.#aborted) this.#controller.abort(this.#aborted.reason)
    }
    return this.#controller.signal
  }

  /** The caller's own signal was aborted. */
  handleEvent(): void {
    this.abort(this.#given?.reason)
  }

  abort(reason: unknown): void {
    if (this.#aborted) return
    this.#aborted = { reason }
    this.#controller?.abort(reason)
    for (const listener of [...this.#listeners]) listener(reason)
  }

  onAbort(listener: (reason: unknown) => void): () => void {
    this.throwIfAborted()
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  until<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#aborted) reject(this.#aborted.reason)
      this.#listeners.add(reject)
      promise.then(
        (value) => {
          this.#listeners.delete(reject)
          resolve(value)
        },
        (error) => {
          this.#listeners.delete(reject)
          reject(error)
        },
      )
    })
  }

  throwIfAborted(): void {
    if (this.#aborted) throw this.#aborted.reason
  }

  extend(): void {
    if (this.#timer === undefined) return
    this.#stop()
    this.#start()
  }

  pause(): void {
    this.#pauses++
    this.#stop()
  }

  resume(): void {
    if (--this.#pauses === 0) this.#start()
  }

  clear(): void {
    this.#stop()
    this.#pauses = Infinity
    this.#given?.removeEventListener('abort', this)
  }

  #start(): void {
    const { requestMs, totalMs } = this.#limits
    const ms = Math.min(requestMs, totalMs - this.#usedMs)
    if (this.#pauses > 0 || ms === Infinity || this.#aborted) return
    this.#startedAt = performance.now()
    this.#timer = setTimeout(() => this.#expire(), Math.max(0, ms))
  }

  #stop(): void {
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#usedMs += performance.now() - this.#startedAt
  }

  #expire(): void {
    const { requestMs, totalMs } = this.#limits
    this.abort(new TimeoutError(this.#method, Math.round(Math.min(requestMs, totalMs))))
  }
}
