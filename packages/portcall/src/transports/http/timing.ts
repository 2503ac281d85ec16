import type { HttpClientLimits } from './client-limits.ts'

const FIRST_MS = 1000
const MAX_BACKOFF_MS = 30_000
const MAX_DOUBLINGS = 10

/**
 * How long to stay away from a stream that ended, in milliseconds: as long as the server has asked for, within limits, and after failures
 * for up to half a minute more, never the same for all.
 */
export function retryAfter(
  { minRetryMs, maxRetryMs }: HttpClientLimits,
  retryMs: number = FIRST_MS,
  failures: number = 0,
): number {
  const asked = Math.min(Math.max(retryMs, minRetryMs), maxRetryMs)
  const more = failures === 0 ? 0 : Math.min(MAX_BACKOFF_MS, 2 * minRetryMs * 2 ** Math.min(failures, MAX_DOUBLINGS))
  return asked + Math.random() * more
}

/** Resolves after `ms`; rejects with the reason of the first signal that is aborted before. */
export function pause(ms: number, ...given: ReadonlyArray<AbortSignal | undefined>): Promise<void> {
  const signals = given.filter((signal) => signal !== undefined)
  return new Promise((resolve, reject) => {
    const finish = (): void => {
      clearTimeout(timer)
      for (const signal of signals) signal.removeEventListener('abort', finish)
      const aborted = signals.find((signal) => signal.aborted)
      if (aborted) reject(aborted.reason)
      else resolve()
    }
    const timer = setTimeout(finish, ms)
    for (const signal of signals) signal.addEventListener('abort', finish)
    if (signals.some((signal) => signal.aborted)) finish()
  })
}

/** Resolves when the callback is called, or after `ms`. */
export function within(ms: number, start: (done: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    start(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}
