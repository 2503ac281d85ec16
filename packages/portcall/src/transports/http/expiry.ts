import { unref } from '../../jsonrpc/waiting.ts'

/** Things that are over when nobody has touched them for a while. */
export interface Expiry<T> {
  /** Starts or restarts the time of an item; that of one which was touched a moment ago goes on. */
  touch(item: T): void
  forget(item: T): void
  stop(): void
}

const SWEEPS = 10
const MIN_SWEEP_MS = 10
const MAX_SWEEP_MS = 60_000
/** A moment, as a part of the time that an item has. */
const MOMENT = 1 / 1000

/**
 * Makes an expiry of `afterMs`, up to a tenth late: one timer sweeps all items, and holds no process alive. Items rest in the order
 * in which they were touched, so a sweep looks at those that are over and at one more.
 */
export function createExpiry<T>(afterMs: number, onExpired: (item: T) => void): Expiry<T> {
  const touched = new Map<T, number>()
  const sweepMs = Math.min(Math.max(afterMs / SWEEPS, MIN_SWEEP_MS), MAX_SWEEP_MS)
  let timer: ReturnType<typeof setInterval> | undefined

  const stop = (): void => {
    clearInterval(timer)
    timer = undefined
  }
  const sweep = (): void => {
    const limit = performance.now() - afterMs
    for (const [item, at] of touched) {
      if (at > limit) return
      touched.delete(item)
      onExpired(item)
    }
    if (touched.size === 0) stop()
  }

  return {
    touch(item) {
      const now = performance.now()
      const last = touched.get(item)
      if (last !== undefined && now - last < afterMs * MOMENT) return
      touched.delete(item)
      touched.set(item, now)
      timer ??= unref(setInterval(sweep, sweepMs))
    },
    forget: (item) => void touched.delete(item),
    stop() {
      touched.clear()
      stop()
    },
  }
}
