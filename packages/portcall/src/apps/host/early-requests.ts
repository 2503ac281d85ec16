/** The requests that a view sends between `ui/initialize` and `ui/notifications/initialized`. */
import { delay } from '../../../../util/src/timers.ts'

/** How long a request waits, in milliseconds. */
const WAIT_MS = 5000
/** Requests that wait at a time. */
const MAX_WAITING = 20

export interface EarlyRequests {
  /** Resolves when the view is ready, when the request is cancelled, after a time, and at once if many requests wait. */
  wait(signal: AbortSignal): Promise<void>
  /** Ends the waiting: the view is ready. */
  release(): void
}

/**
 * Lets early requests wait instead of refusing them: published views call their tool a tenth of a second after they have started, and on a slow
 * machine, the handshake takes longer.
 */
export function createEarlyRequests(): EarlyRequests {
  const waiting = new Set<AbortController>()
  return {
    async wait(signal) {
      if (waiting.size >= MAX_WAITING) return
      const timer = new AbortController()
      waiting.add(timer)
      await delay(WAIT_MS, timer.signal, signal).catch(() => {})
      waiting.delete(timer)
    },
    release() {
      for (const timer of waiting) timer.abort()
    },
  }
}
