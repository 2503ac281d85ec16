import { unref } from '../jsonrpc/waiting.ts'

/** Deadlines that need no timer each: one sweep a second looks at all that are long enough not to care. */
export interface Deadlines {
  /** Calls `onExpired` after `ms`, unless the returned function is called before. */
  watch(ms: number, onExpired: () => void): () => void
}

const SWEEP_MS = 1000
/** Above this, a second more or less does not matter. */
const COARSE_MS = 30_000

interface Watched {
  at: number
  onExpired: () => void
}

/** Makes the deadlines of one server; no timer of theirs keeps a process alive. The clock is one that nobody sets. */
export function createDeadlines(now: () => number = () => performance.now()): Deadlines {
  const watched = new Set<Watched>()
  let sweep: ReturnType<typeof setInterval> | undefined

  const tick = (): void => {
    const time = now()
    for (const entry of watched) {
      if (entry.at > time) continue
      watched.delete(entry)
      entry.onExpired()
    }
    if (watched.size > 0) return
    clearInterval(sweep)
    sweep = undefined
  }

  return {
    watch(ms, onExpired) {
      if (ms < COARSE_MS) {
        const timer = setTimeout(onExpired, ms)
        return () => clearTimeout(timer)
      }
      const entry = { at: now() + ms, onExpired }
      watched.add(entry)
      sweep ??= unref(setInterval(tick, SWEEP_MS))
      return () => void watched.delete(entry)
    },
  }
}
