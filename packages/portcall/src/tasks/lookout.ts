import { unref } from '../jsonrpc/waiting.ts'

/** Looks for work again and again: when told to, and after a while by itself. It keeps no process alive. */
export interface Lookout {
  /** Looks at once, or once more when it is looking already. */
  look(): void
  /** Looks after so many milliseconds, if it does not sooner. */
  lookIn(ms: number): void
  /** Looks no more; resolves when it has ended looking. */
  close(): Promise<void>
}

export interface LookoutOptions {
  readonly pollMs: number
  lookThrough(): Promise<void>
  readonly onError: (error: unknown) => void
}

export function createLookout({ pollMs, lookThrough, onError }: LookoutOptions): Lookout {
  const alarm = createAlarm(() => look())
  let looking: Promise<void> | undefined
  let again = false
  let closed = false

  const look = (): void => {
    if (closed) return
    again = looking !== undefined
    looking ??= lookThrough()
      .catch(onError)
      .finally(() => {
        looking = undefined
        if (again) look()
        else if (!closed) alarm.set(pollMs)
      })
  }
  return {
    look,
    lookIn(ms) {
      if (!closed) alarm.set(ms)
    },
    async close() {
      closed = true
      alarm.clear()
      await looking
    },
  }
}

/** One timer that goes off at the earliest time it was set to, and never before it. */
function createAlarm(ring: () => void): { set(ms: number): void; clear(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined
  let at = Infinity
  const clear = (): void => {
    clearTimeout(timer)
    at = Infinity
  }
  const start = (ms: number): void => void (timer = unref(setTimeout(goOff, ms)))
  const goOff = (): void => {
    // Timers count whole milliseconds and may be up to one early; who looks too early finds nothing.
    const early = at - performance.now()
    if (early > 0) return start(early)
    at = Infinity
    ring()
  }
  return {
    clear,
    set(ms) {
      if (performance.now() + ms >= at) return
      clear()
      at = performance.now() + ms
      start(ms)
    },
  }
}
