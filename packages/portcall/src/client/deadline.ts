import { TimeoutError } from './errors.ts'
import type { ClientDeadlines } from './options.ts'

/** The time that one request has: begun anew by progress, up to a total, and standing still while somebody is asked. */
export interface Deadline {
  /** Aborted by the caller, or with a `TimeoutError`. */
  readonly signal: AbortSignal
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
export function startDeadline(method: string, { requestMs, totalMs }: ClientDeadlines, signal?: AbortSignal): Deadline {
  const controller = new AbortController()
  let usedMs = 0
  let startedAt = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let pauses = 0

  const abort = (): void => controller.abort(signal?.reason)
  const stop = (): void => {
    if (timer === undefined) return
    clearTimeout(timer)
    timer = undefined
    usedMs += performance.now() - startedAt
  }
  const start = (): void => {
    const ms = Math.min(requestMs, totalMs - usedMs)
    if (pauses > 0 || ms === Infinity || controller.signal.aborted) return
    startedAt = performance.now()
    timer = setTimeout(
      () => controller.abort(new TimeoutError(method, Math.round(Math.min(requestMs, totalMs)))),
      Math.max(0, ms),
    )
  }

  if (signal?.aborted) abort()
  else signal?.addEventListener('abort', abort, { once: true })
  start()
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    extend() {
      if (timer === undefined) return
      stop()
      start()
    },
    pause() {
      pauses++
      stop()
    },
    resume() {
      if (--pauses === 0) start()
    },
    clear() {
      stop()
      pauses = Infinity
      signal?.removeEventListener('abort', abort)
    },
  }
}
