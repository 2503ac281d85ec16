import { LinkedSet } from './linked-set.ts'
import { ref, unref } from './timers.ts'

/** Timers for many timeouts at once: long ones share one interval timer and may fire up to a second late. */
export interface CoarseTimers {
  /** Calls `onTimeout` after `ms`, unless the returned timer is cancelled before that. */
  schedule(ms: number, onTimeout: () => void): CoarseTimer
}

export interface CoarseTimer {
  cancel(): void
}

export interface CoarseTimersOptions {
  /** True if a pending timer keeps the process alive. */
  readonly keepAlive: boolean
}

const SWEEP_INTERVAL_MS = 1000
/** From this duration on, a second more or less does not matter. */
const COARSE_MS = 30_000

interface SweptTimer extends CoarseTimer {
  readonly dueAt: number
  readonly onTimeout: () => void
  isCancelled: boolean
}

export function createCoarseTimers({ keepAlive }: CoarseTimersOptions): CoarseTimers {
  const pending = new LinkedSet<SweptTimer>()
  const applyRef = keepAlive ? ref : unref
  let interval: ReturnType<typeof setInterval> | undefined

  const sweep = (): void => {
    const now = performance.now()
    for (const timer of pending.items()) {
      if (timer.dueAt > now || timer.isCancelled) continue
      timer.cancel()
      timer.onTimeout()
    }
    if (!pending.isEmpty) return
    clearInterval(interval)
    interval = undefined
  }

  return {
    schedule(ms, onTimeout) {
      if (ms < COARSE_MS) {
        const timer = applyRef(setTimeout(onTimeout, ms))
        return { cancel: () => clearTimeout(timer) }
      }
      if (pending.isEmpty) interval = applyRef(interval ?? setInterval(sweep, SWEEP_INTERVAL_MS))
      const timer: SweptTimer = {
        dueAt: performance.now() + ms,
        onTimeout,
        isCancelled: false,
        cancel() {
          timer.isCancelled = true
          entry.remove()
          if (pending.isEmpty) unref(interval)
        },
      }
      const entry = pending.add(timer)
      return timer
    },
  }
}
