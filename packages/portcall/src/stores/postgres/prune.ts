import type { PostgresExecutor } from './executor.ts'

export interface PruneLimits {
  readonly maxEntries: number
  readonly maxLogs: number
  /** Time to live of log entries. */
  readonly entryTtlMs: number
}

const INTERVAL_MS = 30_000

/**
 * Returns a function to call at each write. Every 30 seconds at most, it removes expired data, and the data that exceeds the limits, in the
 * background.
 */
export function createPostgresPruner(executor: PostgresExecutor, { maxEntries, maxLogs, entryTtlMs }: PruneLimits): () => void {
  let dueAt = performance.now()
  const prune = async (): Promise<void> => {
    while ((await executor.callInBackground('sweep', { maxEntries, maxLogs, maxAgeMs: entryTtlMs })) === true);
  }
  return () => {
    if (performance.now() < dueAt) return
    dueAt = Infinity
    prune()
      .catch(() => {})
      .finally(() => (dueAt = performance.now() + INTERVAL_MS))
  }
}
