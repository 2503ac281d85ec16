import { type AbortListener, LazyAbort, onAbort } from '../../../util/src/abort.ts'
import { type CoarseTimer, type CoarseTimers, createCoarseTimers } from '../../../util/src/coarse-timers.ts'
import { LinkedSet, type LinkedSetEntry } from '../../../util/src/linked-set.ts'
import { TimeoutError } from './errors.ts'
import type { ClientTimeouts } from './options.ts'

/** The deadline of one request: progress restarts it, up to a total, and it is paused while the client waits for user input. */
export interface Deadline {
  /** Aborted by the caller's signal, or with a `TimeoutError`. Created on first read. */
  readonly signal: AbortSignal
  /** Calls the listener once with the abort reason, immediately if already aborted. Returns a function that unsubscribes. */
  onAbort(listener: AbortListener): () => void
  /** Settles with the promise, or rejects with the abort reason if the deadline passes first. Clears the deadline. */
  race<T>(promise: Promise<T>): Promise<T>
  throwIfAborted(): void
  /** Restarts the request timeout after progress. */
  extend(): void
  abort(reason: unknown): void
  pause(): void
  resume(): void
  /** Stops the timers and releases everything. */
  clear(): void
}

/** The deadlines of all requests to one server. */
export interface Deadlines {
  /** Starts the deadline of a request. The caller has to clear it. */
  start(method: string, timeouts: ClientTimeouts, signal?: AbortSignal): Deadline
  /** Pauses every running deadline while `run` waits for a user, because any of the requests may be waiting for the user too. */
  pauseWhile<T>(run: () => Promise<T>): Promise<T>
  abortAll(reason: unknown): void
}

export function createDeadlines(): Deadlines {
  const running = new LinkedSet<RequestDeadline>()
  const timers = createCoarseTimers({ keepAlive: true })

  return {
    start(method, timeouts, signal) {
      const deadline = new RequestDeadline({ method, timeouts, signal, timers })
      deadline.entry = running.add(deadline)
      return deadline
    },
    async pauseWhile(run) {
      const paused = running.items()
      for (const deadline of paused) deadline.pause()
      try {
        return await run()
      } finally {
        for (const deadline of paused) deadline.resume()
      }
    },
    abortAll(reason) {
      for (const deadline of running.items()) deadline.abort(reason)
    },
  }
}

interface RequestDeadlineOptions {
  readonly method: string
  readonly timeouts: ClientTimeouts
  readonly signal: AbortSignal | undefined
  readonly timers: CoarseTimers
}

class RequestDeadline implements Deadline {
  /** Its entry among the running deadlines. */
  entry: LinkedSetEntry | undefined
  readonly #options: RequestDeadlineOptions
  readonly #abort = new LazyAbort()
  readonly #unsubscribe: (() => void) | undefined
  #reject: ((reason: unknown) => void) | undefined
  #usedMs = 0
  #startedAt = 0
  #timer: CoarseTimer | undefined
  #pauses = 0

  constructor(options: RequestDeadlineOptions) {
    const { signal } = options
    this.#options = options
    this.#unsubscribe = signal && onAbort(signal, (reason) => this.abort(reason))
    this.#start()
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  abort(reason: unknown): void {
    if (this.#abort.aborted) return
    this.#abort.abort(reason)
    this.#reject?.(reason)
  }

  onAbort(listener: AbortListener): () => void {
    return this.#abort.onAbort(listener)
  }

  race<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const fail = (reason: unknown): void => {
        this.clear()
        reject(reason)
      }
      if (this.#abort.aborted) fail(this.#abort.reason)
      this.#reject = fail
      promise.then((value) => {
        this.clear()
        resolve(value)
      }, fail)
    })
  }

  throwIfAborted(): void {
    this.#abort.throwIfAborted()
  }

  extend(): void {
    if (!this.#timer) return
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
    this.#timer?.cancel()
    this.#pauses = Infinity
    this.#unsubscribe?.()
    this.entry?.remove()
  }

  #start(): void {
    const { timers, timeouts } = this.#options
    const ms = Math.min(timeouts.requestTimeoutMs, timeouts.totalTimeoutMs - this.#usedMs)
    if (this.#pauses > 0 || ms === Infinity || this.#abort.aborted) return
    this.#startedAt = performance.now()
    this.#timer = timers.schedule(Math.max(0, ms), () => this.#expire())
  }

  #stop(): void {
    if (!this.#timer) return
    this.#timer.cancel()
    this.#timer = undefined
    this.#usedMs += performance.now() - this.#startedAt
  }

  #expire(): void {
    const { method, timeouts } = this.#options
    const { requestTimeoutMs, totalTimeoutMs } = timeouts
    const option = requestTimeoutMs <= totalTimeoutMs ? 'requestTimeoutMs' : 'totalTimeoutMs'
    this.abort(new TimeoutError(method, Math.round(timeouts[option]), `timeouts.${option}`))
  }
}
