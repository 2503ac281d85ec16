import { unref } from './timers.ts'

/** Polls on demand and at an interval. It does not keep the process alive. */
export interface Poller {
  /** Polls now, or once more after the current poll. */
  pollNow(): void
  /** Polls after `ms` at the latest. */
  pollIn(ms: number): void
  /** Stops polling. Resolves when the current poll is complete. */
  close(): Promise<void>
}

export interface PollerOptions {
  readonly intervalMs: number
  poll(): Promise<void>
  readonly onError: (error: unknown) => void
}

export function createPoller({ intervalMs, poll, onError }: PollerOptions): Poller {
  const alarm = createAlarm(() => pollNow())
  let polling: Promise<void> | undefined
  let mustRepeat = false
  let isClosed = false

  const pollNow = (): void => {
    if (isClosed) return
    mustRepeat = polling !== undefined
    polling ??= poll()
      .catch(onError)
      .finally(() => {
        polling = undefined
        if (mustRepeat) pollNow()
        else if (!isClosed) alarm.set(intervalMs)
      })
  }
  return {
    pollNow,
    pollIn(ms) {
      if (!isClosed) alarm.set(ms)
    },
    async close() {
      isClosed = true
      alarm.clear()
      await polling
    },
  }
}

/** Creates a timer that fires at the earliest time that it was set to, and never before that. */
function createAlarm(onAlarm: () => void): { set(ms: number): void; clear(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined
  let dueAt = Infinity
  const clear = (): void => {
    clearTimeout(timer)
    dueAt = Infinity
  }
  const start = (ms: number): void => void (timer = unref(setTimeout(onTimer, ms)))
  const onTimer = (): void => {
    // Timers count whole milliseconds and may fire up to one early, when there is nothing to find yet.
    const remainingMs = dueAt - performance.now()
    if (remainingMs > 0) return start(remainingMs)
    dueAt = Infinity
    onAlarm()
  }
  return {
    clear,
    set(ms) {
      if (performance.now() + ms >= dueAt) return
      clear()
      dueAt = performance.now() + ms
      start(ms)
    },
  }
}
