import { createBackoff } from '../../../util/src/backoff.ts'
import { delay, raceAbort } from '../../../util/src/timers.ts'
import { type Lease, takeLease } from '../stores/lease.ts'
import type { KeyValueStore } from '../stores/store.ts'

export interface StoreLockOptions {
  readonly store: KeyValueStore
  readonly key: string
  /** Stops waiting for the lock, and the task. */
  readonly signal: AbortSignal
  /**
   * Returns what the lock protects. With it, a lock that expired because this process was paused is kept, unless another process has taken it or
   * has changed what this returns.
   */
  readonly readState?: () => Promise<string | undefined>
}

/** A lock, for the task that holds it. */
export interface HeldLock {
  /** Aborted when the lock is lost, or the caller aborts. */
  readonly signal: AbortSignal
  /** Changes what the lock protects, while the lock is certainly held. @throws the reason of the signal. */
  write(save: () => Promise<void>): Promise<void>
}

/** Time after which the lock of a crashed process expires. */
const LEASE_TTL_MS = 15_000
const POLLING = { firstMs: 30, maxMs: 750 }

/**
 * Runs a task while holding a lock that all processes with the same store share. The lock is a lease, renewed while the task runs. Waiting
 * processes poll the store. The signal of the lock is aborted when the lease is lost, because another process may then run the same task: stop, and
 * write nothing.
 *
 * @throws the reason of the signal if it is aborted before the lock is acquired; whatever the task throws.
 */
export async function withStoreLock<T>(options: StoreLockOptions, task: (lock: HeldLock) => Promise<T>): Promise<T> {
  const { readState } = options
  let state: string | undefined
  const lease = await acquireLease(options, readState && (async () => (await readState()) === state))
  const signal = AbortSignal.any([options.signal, lease.signal])
  const write: HeldLock['write'] = async (save) => {
    signal.throwIfAborted()
    await raceAbort(lease.whenHeld(), signal)
    await save()
    state = await readState?.()
  }
  try {
    state = await readState?.()
    return await task({ signal, write })
  } finally {
    await lease.release()
  }
}

async function acquireLease(
  { store, key, signal }: StoreLockOptions,
  mayContinue: (() => Promise<boolean>) | undefined,
): Promise<Lease> {
  const backoff = createBackoff(POLLING)
  for (;;) {
    signal.throwIfAborted()
    const lease = await takeLease({ store, key, leaseTtlMs: LEASE_TTL_MS, ...(mayContinue && { mayContinue }) })
    if (lease) return lease
    await delay(backoff.next(), signal)
  }
}
