import { onAbort } from '../jsonrpc/abort.ts'
import { createDeadlines, type Deadlines } from '../jsonrpc/deadlines.ts'
import { createRing, type Place } from '../jsonrpc/ring.ts'
import { TimeoutError } from './errors.ts'
import type { ClientDeadlines } from './options.ts'

/** The time that one request has: begun anew by progress, up to a total, and standing still while somebody is asked. */
export interface Deadline {
  /** Aborted by the caller, or with a `TimeoutError`. It is made when it is first read. */
  readonly signal: AbortSignal
  /** Calls back with the reason when it is aborted; what it gives ends that. @throws the reason when it is aborted already. */
  onAbort(listener: (reason: unknown) => void): () => void
  /** Waits for something, but no longer than this lasts, and ends it then. @throws the reason for which it was aborted. */
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

/** The deadlines of all that waits for one server. */
export interface Clocks {
  /** Starts the deadline of a request; whoever starts it clears it. `Infinity` for no limit. */
  start(method: string, limits: ClientDeadlines, signal?: AbortSignal): Deadline
  /** Does something that takes as long as a human needs: meanwhile no clock runs, since it cannot be told who waits for it. */
  stopped<T>(run: () => Promise<T>): Promise<T>
  /** Aborts all deadlines that run. */
  abort(reason: unknown): void
}

export function createClocks(): Clocks {
  const running = createRing<RequestDeadline>()
  const deadlines = createDeadlines({ hold: true })

  return {
    start(method, limits, signal) {
      const deadline = new RequestDeadline({ method, limits, signal, deadlines })
      deadline.place = running.add(deadline)
      return deadline
    },
    async stopped(run) {
      const paused = running.items()
      for (const deadline of paused) deadline.pause()
      try {
        return await run()
      } finally {
        for (const deadline of paused) deadline.resume()
      }
    },
    abort(reason) {
      for (const deadline of running.items()) deadline.abort(reason)
    },
  }
}

/** One who listens, until it has left. */
interface Ear {
  listener: ((reason: unknown) => void) | undefined
}

interface RequestDeadlineOptions {
  readonly method: string
  readonly limits: ClientDeadlines
  readonly signal: AbortSignal | undefined
  readonly deadlines: Deadlines
}

/** An AbortController costs more than all else of a call in memory: there is one only where somebody reads the signal. */
class RequestDeadline implements Deadline {
  /** Where it is among those that run. */
  place: Place | undefined
  readonly #options: RequestDeadlineOptions
  #ears: Ear[] | undefined
  #waiter: ((reason: unknown) => void) | undefined
  /** Hears no more of the caller's own signal. */
  readonly #ignore: (() => void) | undefined
  #controller: AbortController | undefined
  #aborted: { reason: unknown } | undefined
  #usedMs = 0
  #startedAt = 0
  #watch: Place | undefined
  #pauses = 0

  constructor(options: RequestDeadlineOptions) {
    const { signal } = options
    this.#options = options
    this.#ignore = signal && onAbort(signal, (reason) => this.abort(reason))
    this.#start()
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.#aborted) this.#controller.abort(this.#aborted.reason)
    }
    return this.#controller.signal
  }

  abort(reason: unknown): void {
    if (this.#aborted) return
    this.#aborted = { reason }
    this.#controller?.abort(reason)
    for (const ear of this.#ears ?? []) ear.listener?.(reason)
    this.#waiter?.(reason)
  }

  onAbort(listener: (reason: unknown) => void): () => void {
    this.throwIfAborted()
    const ear: Ear = { listener }
    if (this.#ears) this.#ears.push(ear)
    else this.#ears = [ear]
    return () => {
      ear.listener = undefined
    }
  }

  until<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const fail = (reason: unknown): void => {
        this.clear()
        reject(reason)
      }
      if (this.#aborted) fail(this.#aborted.reason)
      this.#waiter = fail
      promise.then((value) => {
        this.clear()
        resolve(value)
      }, fail)
    })
  }

  throwIfAborted(): void {
    if (this.#aborted) throw this.#aborted.reason
  }

  extend(): void {
    if (!this.#watch) return
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
    this.#watch?.leave()
    this.#pauses = Infinity
    this.#ignore?.()
    this.place?.leave()
  }

  #start(): void {
    const { deadlines, limits } = this.#options
    const ms = Math.min(limits.requestMs, limits.totalMs - this.#usedMs)
    if (this.#pauses > 0 || ms === Infinity || this.#aborted) return
    this.#startedAt = performance.now()
    this.#watch = deadlines.watch(Math.max(0, ms), () => this.#expire())
  }

  #stop(): void {
    if (!this.#watch) return
    this.#watch.leave()
    this.#watch = undefined
    this.#usedMs += performance.now() - this.#startedAt
  }

  #expire(): void {
    const { method, limits } = this.#options
    this.abort(new TimeoutError(method, Math.round(Math.min(limits.requestMs, limits.totalMs))))
  }
}
