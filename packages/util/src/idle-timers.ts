import { unref } from './timers.ts'

/** Timers for many items that expire after the same time without use, such as idle connections. */
export interface IdleTimers<T> {
  /** Starts or restarts the timer of an item. Does nothing if it was restarted a moment ago. */
  touch(item: T): void
  /** Stops the timer of an item. */
  remove(item: T): void
  /** Stops all timers. */
  stop(): void
}

const SWEEPS_PER_TIMEOUT = 10
const MIN_SWEEP_INTERVAL_MS = 10
const MAX_SWEEP_INTERVAL_MS = 60_000
/** The part of the timeout within which a second `touch` changes nothing. */
const TOUCH_RESOLUTION = 1 / 1000

/**
 * Creates timers that expire after `timeoutMs`, or up to a tenth later. One interval serves all items and does not keep the process alive.
 * Items are ordered by their last use, so a sweep visits only expired items and one more.
 */
export function createIdleTimers<T>(timeoutMs: number, onExpired: (item: T) => void): IdleTimers<T> {
  const lastUsed = new Map<T, number>()
  const sweepIntervalMs = Math.min(Math.max(timeoutMs / SWEEPS_PER_TIMEOUT, MIN_SWEEP_INTERVAL_MS), MAX_SWEEP_INTERVAL_MS)
  let timer: ReturnType<typeof setInterval> | undefined

  const stop = (): void => {
    clearInterval(timer)
    timer = undefined
  }
  const sweep = (): void => {
    const limit = performance.now() - timeoutMs
    for (const [item, at] of lastUsed) {
      if (at > limit) return
      lastUsed.delete(item)
      onExpired(item)
    }
    if (lastUsed.size === 0) stop()
  }

  return {
    touch(item) {
      const now = performance.now()
      const last = lastUsed.get(item)
      if (last !== undefined && now - last < timeoutMs * TOUCH_RESOLUTION) return
      lastUsed.delete(item)
      lastUsed.set(item, now)
      timer ??= unref(setInterval(sweep, sweepIntervalMs))
    },
    remove: (item) => void lastUsed.delete(item),
    stop() {
      lastUsed.clear()
      stop()
    },
  }
}
