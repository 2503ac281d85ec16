import { setTimeout as pause } from 'node:timers/promises'
import { isBusy } from './failure.ts'

/** A held file is tried again after at most so many milliseconds. */
const PAUSE_MS = 20

/**
 * Makes what tries again while somebody else holds the file, for so long. When that was in vain, what follows is tried once each, until the
 * file is free again.
 */
export function createPatience(patienceMs: number): <T>(run: () => T) => Promise<T> {
  let isAway = false
  return async (run) => {
    for (const until = performance.now() + (isAway ? 0 : patienceMs); ; await pause(1 + Math.random() * PAUSE_MS)) {
      try {
        const result = run()
        isAway = false
        return result
      } catch (error) {
        if (!isBusy(error)) throw error
        isAway ||= performance.now() >= until
        if (isAway) throw error
      }
    }
  }
}
