import { setLru } from '../../../util/lru.ts'

/** Limits how often an operation is attempted within a sliding window. */
export interface RateLimiter {
  /** Counts an attempt and returns true, or returns false if the limit is reached. */
  tryAcquire(operation: string): boolean
}

const WINDOW_MS = 600_000
const MAX_OPERATIONS = 1000

/** Allows `maxAttempts` of each operation in ten minutes. */
export function createRateLimiter(maxAttempts: number): RateLimiter {
  const attempts = new Map<string, number[]>()
  return {
    tryAcquire(operation) {
      const now = Date.now()
      const recent = (attempts.get(operation) ?? []).filter((at) => now - at < WINDOW_MS)
      if (recent.length >= maxAttempts) return false
      setLru(attempts, [operation, [...recent, now]], MAX_OPERATIONS)
      return true
    },
  }
}
