import { type Lease, takeLease } from '../stores/lease.ts'
import type { KeyValueStore } from '../stores/store.ts'
import { createBackoff } from '../util/backoff.ts'
import { delay } from '../util/timers.ts'

export interface StoreLockOptions {
  readonly store: KeyValueStore
  readonly key: string
  /** Stops waiting for the lock, and the task. */
  readonly signal: AbortSignal
}

/** Time after which the lock of a crashed process expires. */
const LEASE_TTL_MS = 15_000
const POLLING = { firstMs: 30, maxMs: 750 }

/**
 * Runs a task while holding a lock that all processes with the same store share. The lock is a lease, renewed while the task runs. Waiting
 * processes poll the store. The signal that the task receives is aborted when the lease is lost, because another process may then run the same task:
 * stop, and write nothing.
 *
 * @throws the reason of the signal if it is aborted before the lock is acquired; whatever the task throws.
 */
export async function withStoreLock<T>(options: StoreLockOptions, task: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const lease = await acquireLease(options)
  try {
    return await task(AbortSignal.any([options.signal, lease.signal]))
  } finally {
    await lease.release()
  }
}

async function acquireLease({ store, key, signal }: StoreLockOptions): Promise<Lease> {
  const backoff = createBackoff(POLLING)
  for (;;) {
    signal.throwIfAborted()
    const lease = await takeLease({ store, key, leaseTtlMs: LEASE_TTL_MS })
    if (lease) return lease
    await delay(backoff.next(), signal)
  }
}
