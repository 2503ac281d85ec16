import { MAX_TIMER_MS, unref } from '../../../../util/src/timers.ts'

/** Sends heartbeats on a stream that has been quiet for a while. */
export interface Heartbeat {
  /** Notes that something was sent. Pass the promise that it has to wait for: nothing is sent meanwhile. */
  onSent(drained: void | Promise<void>): void
  stop(): void
}

/**
 * Starts heartbeats. They do not depend on the events: a client that hears nothing takes the stream for dead, also while a filter is slow, or while
 * it lets nothing through.
 */
export function startHeartbeat(intervalMs: number, send: () => void): Heartbeat {
  let sentAt = performance.now()
  let blocked = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  const schedule = (ms: number): void => void (timer = unref(setTimeout(onTimer, Math.min(ms, MAX_TIMER_MS))))
  const onTimer = (): void => {
    const quietMs = performance.now() - sentAt
    if (quietMs >= intervalMs && blocked === 0) send()
    schedule(Math.max(1, quietMs >= intervalMs ? intervalMs : intervalMs - quietMs))
  }
  schedule(intervalMs)
  return {
    onSent(drained) {
      sentAt = performance.now()
      if (!drained) return
      blocked++
      const unblock = (): void => void blocked--
      drained.then(unblock, unblock)
    },
    stop: () => clearTimeout(timer),
  }
}
