import { createRing, type Place } from './ring.ts'
import { ref, unref } from './waiting.ts'

/** Deadlines that need no timer each: one sweep a second looks at all that are long enough not to care. */
export interface Deadlines {
  /** Calls `onExpired` after `ms`, unless what it gives is left before. */
  watch(ms: number, onExpired: () => void): Place
}

export interface DeadlinesOptions {
  /** Whether a process lives until the last of them. */
  readonly hold: boolean
}

const SWEEP_MS = 1000
/** Above this, a second more or less does not matter. */
const COARSE_MS = 30_000

interface Watched extends Place {
  readonly at: number
  readonly onExpired: () => void
}

/** Makes the deadlines of one server or one client. */
export function createDeadlines({ hold }: DeadlinesOptions): Deadlines {
  const watched = createRing<Watched>()
  const kept = hold ? ref : unref
  let sweep: ReturnType<typeof setInterval> | undefined

  const tick = (): void => {
    const now = performance.now()
    for (const one of watched.items()) {
      if (one.at > now) continue
      one.leave()
      one.onExpired()
    }
    if (!watched.empty) return
    clearInterval(sweep)
    sweep = undefined
  }

  return {
    watch(ms, onExpired) {
      if (ms < COARSE_MS) {
        const timer = kept(setTimeout(onExpired, ms))
        return { leave: () => clearTimeout(timer) }
      }
      if (watched.empty) sweep = kept(sweep ?? setInterval(tick, SWEEP_MS))
      const entry: Watched = {
        at: performance.now() + ms,
        onExpired,
        leave() {
          place.leave()
          if (watched.empty) unref(sweep)
        },
      }
      const place = watched.add(entry)
      return entry
    },
  }
}
