import type { Store } from '../stores/store.ts'
import type { TaskEngine } from './engine.ts'
import { type Ledger, leaseKey, type TaskRef } from './ledger.ts'
import { queueAgain, type TaskRecord } from './record.ts'

export interface ReviveOptions {
  readonly ledger: Ledger
  readonly engine: TaskEngine
  readonly store: Store
  /** A task that nothing is heard of for so long may be lost. */
  readonly leaseMs: number
  readonly now: () => number
}

/**
 * Hands a task to the engine again that nobody works on: a process may have died after it had written that the task goes on, and before it
 * had told the engine. Whoever asks after a task brings it back in this way, and so does `sweep.ts`. Each time it waits twice as long: the task
 * may only be waiting for its turn.
 */
export function createRevival({
  ledger,
  engine,
  store,
  leaseMs,
  now,
}: ReviveOptions): (ref: TaskRef, record: TaskRecord) => Promise<void> {
  return async (ref, { status, updatedAt, queuedAt = updatedAt, ttlMs }) => {
    const last = Math.max(updatedAt, queuedAt)
    if (status !== 'working' || now() - last < Math.max(leaseMs, last - updatedAt)) return
    if ((await store.get(leaseKey(ref))) !== undefined) return
    await ledger.change(ref, (record) => queueAgain(record, now()))
    await engine.add(ref, { ttlMs })
  }
}
