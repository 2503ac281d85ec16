import { unref } from '../util/timers.ts'

/** Counts the requests that are being answered. */
export interface RunningRequests {
  begin(): void
  end(): void
  /** Resolves when no request is being answered, or after `timeoutMs`. */
  whenIdle(timeoutMs: number): Promise<void>
}

export function createRunningRequests(): RunningRequests {
  let count = 0
  let onIdle: (() => void) | undefined
  return {
    begin: () => void count++,
    end() {
      if (--count === 0) onIdle?.()
    },
    whenIdle(timeoutMs) {
      if (count === 0) return Promise.resolve()
      return new Promise((resolve) => {
        const timer = unref(setTimeout(resolve, timeoutMs))
        onIdle = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    },
  }
}
