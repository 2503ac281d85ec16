import { backoffMs } from '../../../../util/src/backoff.ts'
import { createPoller } from '../../../../util/src/poller.ts'
import type { ProcessOptions } from './queue.ts'

/** Processes the entries of a queue in this process, a limited number at a time. */
export interface WorkerPool {
  /** Starts to process an entry if a worker is free. Returns whether it was started. */
  tryProcess(key: string): boolean
  /** Polls for entries now. */
  pollNow(): void
  /** Starts nothing more. Resolves when the entries that are being processed are settled. */
  close(): Promise<void>
}

export interface WorkerPoolOptions extends ProcessOptions {
  readonly pollIntervalMs: number
  list(after: string | undefined, limit: number): Promise<string[]>
  process(key: string): Promise<'done' | 'retry'>
  remove(key: string): Promise<void>
}

const PAGE_SIZE = 100
const FIRST_RETRY_DELAY_MS = 100

/** An entry that is not to be processed again before `retryAt`. */
interface DelayedEntry {
  readonly retryAt: number
  readonly failures: number
}

export function createWorkerPool(options: WorkerPoolOptions): WorkerPool {
  const { concurrency, pollIntervalMs, onError } = options
  const backoff = { firstMs: FIRST_RETRY_DELAY_MS, maxMs: pollIntervalMs, jitter: 0 }
  const running = new Map<string, Promise<void>>()
  const delayed = new Map<string, DelayedEntry>()
  let isClosed = false

  const canProcess = (key: string): boolean =>
    !isClosed && running.size < concurrency && !running.has(key) && (delayed.get(key)?.retryAt ?? -Infinity) <= performance.now()
  const retryLater = (key: string): void => {
    const failures = delayed.get(key)?.failures ?? 0
    const delayMs = backoffMs(failures, backoff)
    delayed.set(key, { retryAt: performance.now() + delayMs, failures: failures + 1 })
    poller.pollIn(delayMs)
  }
  const processEntry = async (key: string): Promise<void> => {
    try {
      if ((await options.process(key)) === 'retry') return retryLater(key)
      delayed.delete(key)
      await options.remove(key)
    } catch (error) {
      onError(error)
      retryLater(key)
    }
  }
  const tryProcess = (key: string): boolean => {
    if (!canProcess(key)) return false
    const finish = (): void => {
      const wasFull = running.size >= concurrency
      running.delete(key)
      if (wasFull) poller.pollNow()
    }
    running.set(key, processEntry(key).finally(finish))
    return true
  }

  /** Reads all entries, page by page, while a worker is free. */
  const poll = async (): Promise<void> => {
    const seen = new Set<string>()
    let after: string | undefined
    while (!isClosed && running.size < concurrency) {
      const keys = await options.list(after, PAGE_SIZE)
      for (const key of keys) {
        seen.add(key)
        tryProcess(key)
      }
      after = keys.at(-1)
      if (keys.length === PAGE_SIZE) continue
      for (const key of delayed.keys()) if (!seen.has(key) && !running.has(key)) delayed.delete(key)
      return
    }
  }
  const poller = createPoller({ intervalMs: pollIntervalMs, poll, onError })

  return {
    tryProcess,
    pollNow: poller.pollNow,
    async close() {
      isClosed = true
      await poller.close()
      await Promise.all(running.values())
    },
  }
}
