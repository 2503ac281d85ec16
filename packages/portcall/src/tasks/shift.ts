import { unref } from '../jsonrpc/waiting.ts'
import type { TaskEngine, WorkOptions } from './engine.ts'
import type { Sweep } from './sweep.ts'
import type { Worker } from './worker.ts'

/** The time in which a process works on tasks. */
export interface Shift {
  /** Whether it was ended. */
  readonly ended: boolean
  /** From the second time on it does nothing. */
  begin(): void
  /** Takes no more tasks; leaves those to others that have not ended after `drainMs`. Resolves when nothing runs any more. */
  end(drainMs: number): Promise<void>
}

export interface ShiftOptions extends WorkOptions {
  readonly engine: TaskEngine
  readonly worker: Worker
  readonly sweep: Sweep
}

export function createShift({ engine, worker, sweep, ...options }: ShiftOptions): Shift {
  let begun = false
  let ended: Promise<void> | undefined

  return {
    get ended() {
      return ended !== undefined
    },
    begin() {
      if (begun || ended) return
      begun = true
      sweep.begin()
      engine.work(worker.work, options).catch(options.onError)
    },
    end(drainMs) {
      sweep.end()
      const timer = unref(setTimeout(worker.stop, drainMs))
      ended ??= engine.close().finally(() => clearTimeout(timer))
      return ended
    },
  }
}

/** Begins when all that is registered in this turn is there; where no timer may be set yet, somebody else has to. */
export function beginSoon(begin: () => void): void {
  try {
    unref(setTimeout(begin, 0))
  } catch {
    return
  }
}
