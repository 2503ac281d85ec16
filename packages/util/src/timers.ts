import { type AbortSource, onAbort } from './abort.ts'

/** A timer on runtimes where a timer keeps the process alive. */
interface Timer {
  ref(): unknown
  unref(): unknown
}

/** Lets the process exit while the timer is pending, on runtimes that support it. Returns the timer. */
export function unref<T>(timer: T): T {
  if (isTimer(timer)) timer.unref()
  return timer
}

/** Undoes `unref`: keeps the process alive until the timer fires. Returns the timer. */
export function ref<T>(timer: T): T {
  if (isTimer(timer)) timer.ref()
  return timer
}

function isTimer(timer: unknown): timer is Timer {
  return typeof timer === 'object' && timer !== null && 'unref' in timer
}

/** The longest time of a timer: 24 days. One for a longer time, or for `Infinity`, fires at once. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1

/** Returns a signal that is aborted after `ms`. `Infinity` stands for the longest time that is possible. */
export function timeoutSignal(ms: number): AbortSignal {
  return AbortSignal.timeout(Math.min(ms, MAX_TIMER_MS))
}

/** Settles with the promise, or rejects with the abort reason when the source is aborted first. */
export function raceAbort<T>(promise: Promise<T>, source: AbortSignal | AbortSource | undefined): Promise<T> {
  if (!source) return promise
  return new Promise((resolve, reject) => {
    const unsubscribe = onAbort(source, reject)
    promise.then(resolve, reject).finally(unsubscribe)
  })
}

/** Resolves after `ms`. Rejects with the reason of the first signal that is aborted before that. */
export async function delay(ms: number, ...signals: ReadonlyArray<AbortSignal | undefined>): Promise<void> {
  const present = signals.filter((signal) => signal !== undefined)
  for (const signal of present) signal.throwIfAborted()
  let resolve!: () => void
  let reject!: (reason: unknown) => void
  const elapsed = new Promise<void>((...settle) => {
    ;[resolve, reject] = settle
  })
  const timer = setTimeout(resolve, ms)
  const unsubscribes = present.map((signal) => onAbort(signal, reject))
  try {
    await elapsed
  } finally {
    clearTimeout(timer)
    for (const unsubscribe of unsubscribes) unsubscribe()
  }
}

/** Resolves after `ms`, or as soon as the signal is aborted. Does not keep the process alive. */
export function interruptibleDelay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer)
      unsubscribe()
      resolve()
    }
    let unsubscribe = (): void => {}
    const timer = unref(setTimeout(finish, ms))
    unsubscribe = onAbort(signal, finish)
  })
}

const GRACE_MS = 5

/**
 * Settles with the promise, or rejects with `onTimeout()` after `ms`; a later outcome is ignored. `Infinity` sets no limit. A result that
 * arrived while the process was busy still counts: it is processed within a short grace period after the timer fires.
 */
export function withTimeout<T>(promise: Promise<T>, ms: number, onTimeout: () => Error): Promise<T> {
  if (ms === Infinity) return promise
  return new Promise((resolve, reject) => {
    let timer = setTimeout(() => {
      timer = setTimeout(() => reject(onTimeout()), GRACE_MS)
    }, ms)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/**
 * Calls `start` in the next turn of the event loop, when a server is complete. Does nothing on platforms that do not allow timers at
 * start-up, such as Cloudflare Workers.
 */
export function startSoon(start: () => void): void {
  try {
    unref(setTimeout(start, 0))
  } catch {
    return
  }
}
