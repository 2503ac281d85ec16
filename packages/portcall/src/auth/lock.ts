import { pause } from '../jsonrpc/waiting.ts'
import { type Lease, takeLease } from '../stores/lease.ts'
import type { Store } from '../stores/store.ts'

/** A lock that several processes share. */
export interface LockOptions {
  readonly store: Store
  readonly key: string
  /** Gives up waiting. */
  readonly signal: AbortSignal
}

/** A process that has died holds its locks for so long. */
const LEASE_MS = 15_000
const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 500

/**
 * Runs something while nobody else who shares the store holds the lock. The lock is a lease in the store that is renewed as long as it runs;
 * who waits looks again and again.
 *
 * @throws the reason of the signal, when it is aborted while waiting; what `run` throws.
 */
export async function withLock<T>({ store, key, signal }: LockOptions, run: () => Promise<T>): Promise<T> {
  const lease = await untilTaken({ store, key, signal })
  try {
    return await run()
  } finally {
    await lease.release()
  }
}

async function untilTaken({ store, key, signal }: LockOptions): Promise<Lease> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    signal.throwIfAborted()
    const lease = await takeLease({ store, key, leaseMs: LEASE_MS })
    if (lease) return lease
    await pause(pauseMs * (0.5 + Math.random()), signal)
  }
}
