import { setLru } from '../../../util/src/lru.ts'

/** Limits how often an operation is attempted within a sliding window. */
export interface RateLimiter {
  /** Counts an attempt and returns true, or returns false if the limit is reached. */
  tryAcquire(operation: string): boolean
  /** Uncounts an attempt. */
  release(operation: string): void
}

export interface RateLimiterOptions {
  /** The attempts of each operation that the window allows. */
  readonly maxAttempts: number
  /** Milliseconds. Default: ten minutes. */
  readonly windowMs?: number
  /** Returns the current time in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number
}

const WINDOW_MS = 600_000
const MAX_OPERATIONS = 10_000

/** Creates a rate limiter. It remembers the operations that were attempted last. */
export function createRateLimiter({ maxAttempts, windowMs = WINDOW_MS, now = Date.now }: RateLimiterOptions): RateLimiter {
  const attempts = new Map<string, number[]>()
  return {
    tryAcquire(operation) {
      const time = now()
      const recent = (attempts.get(operation) ?? []).filter((at) => time - at < windowMs)
      if (recent.length >= maxAttempts) return false
      setLru(attempts, [operation, [...recent, time]], MAX_OPERATIONS)
      return true
    },
    release(operation) {
      attempts.get(operation)?.pop()
    },
  }
}
