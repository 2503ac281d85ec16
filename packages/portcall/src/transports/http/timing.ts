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
