import { unref } from './timers.ts'

/** Watches for times in which this process could not run: its event loop was blocked, or the process or the computer was suspended. */
export interface StallWatch {
  /** Returns a sentence about the latest stall that ended less than `ms` ago, such as `its event loop was blocked …`. */
  recent(ms: number): string | undefined
  close(): void
}

export interface StallWatchOptions {
  /** How often the clock is read. Stalls are measured with this accuracy. */
  readonly intervalMs: number
  /** Shorter stalls are ignored. */
  readonly minStallMs: number
  /** Called once after each stall, with a description. */
  readonly onStall: (description: string) => void
}

export function watchStalls({ intervalMs, minStallMs, onStall }: StallWatchOptions): StallWatch {
  let last: { readonly description: string; readonly endedAt: number } | undefined
  let readAt = performance.now()
  let readDate = Date.now()

  const check = (): void => {
    const lateMs = performance.now() - readAt - intervalMs
    const lateDateMs = Date.now() - readDate - intervalMs
    readAt = performance.now()
    readDate = Date.now()
    const description = describeStall(lateMs, lateDateMs, minStallMs)
    if (description === undefined) return
    last = { description, endedAt: readAt }
    onStall(description)
  }
  const timer = unref(setInterval(check, intervalMs))
  return {
    recent(ms) {
      check()
      return last && performance.now() - last.endedAt < ms ? last.description : undefined
    },
    close: () => clearInterval(timer),
  }
}

/** The monotonic clock stands still while the computer is suspended; the other one goes on, but can be set. */
function describeStall(lateMs: number, lateDateMs: number, minStallMs: number): string | undefined {
  if (lateMs >= minStallMs) return `its event loop was blocked, or the process was suspended, for ${seconds(lateMs)} s`
  if (lateDateMs >= minStallMs) return `the computer was suspended, or its clock was set forward, for ${seconds(lateDateMs)} s`
  return undefined
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(ms < 10_000 ? 1 : 0)
}
