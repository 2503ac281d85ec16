import { setTimeout as delay } from 'node:timers/promises'
import { isBusyError } from './errors.ts'

/** Upper bound of the delay before the next attempt. */
const MAX_RETRY_DELAY_MS = 20

/**
 * Creates a function that retries an operation while the file is locked by another process, for `timeoutMs`. After a timeout, operations are
 * tried only once, until one of them succeeds.
 */
export function createBusyRetry(timeoutMs: number): <T>(run: () => T) => Promise<T> {
  let hasTimedOut = false
  return async (run) => {
    const deadline = performance.now() + (hasTimedOut ? 0 : timeoutMs)
    for (;;) {
      try {
        const result = run()
        hasTimedOut = false
        return result
      } catch (error) {
        if (!isBusyError(error)) throw error
        hasTimedOut ||= performance.now() >= deadline
        if (hasTimedOut) throw error
      }
      await delay(1 + Math.random() * MAX_RETRY_DELAY_MS)
    }
  }
}
