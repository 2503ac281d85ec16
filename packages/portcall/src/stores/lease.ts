import { PortcallError } from '../util/errors.ts'
import { randomId } from '../util/random.ts'
import { unref } from '../util/timers.ts'
import type { KeyValueStore } from './store.ts'

/** An exclusive right among all processes that share a store. It is renewed automatically while this process runs. */
export interface Lease {
  /** Aborted with `LeaseLostError` when the lease is lost, or may be lost because the store has not responded for too long. */
  readonly signal: AbortSignal
  /** Releases the lease. Never rejects: a lease that cannot be released expires. */
  release(): Promise<void>
}

export interface LeaseOptions {
  readonly store: KeyValueStore
  readonly key: string
  /** How long the lease of a process that has failed blocks others. The lease is renewed three times in this time. */
  readonly leaseTtlMs: number
}

const RENEWALS_PER_TTL = 3
/** The fraction of the TTL after which the lease is considered lost: other processes measure the TTL with another clock. */
const SAFE_FRACTION = 5 / 6

/** Acquires a lease. Resolves to `undefined` if another process holds it. @throws whatever the store throws. */
export async function takeLease({ store, key, leaseTtlMs }: LeaseOptions): Promise<Lease | undefined> {
  const owner = randomId()
  const controller = new AbortController()
  let expiryTimer: ReturnType<typeof setTimeout> | undefined
  let isReleased = false
  const lose = (): void => controller.abort(new LeaseLostError())
  const write = async (expected: string | undefined): Promise<boolean> => {
    const startedAt = performance.now()
    const isHeld = await store.compareAndSet(key, { expected, value: owner, ttlMs: leaseTtlMs })
    clearTimeout(expiryTimer)
    if (isHeld && !isReleased) expiryTimer = unref(setTimeout(lose, leaseTtlMs * SAFE_FRACTION - (performance.now() - startedAt)))
    return isHeld
  }
  const renew = (): Promise<void> =>
    write(owner).then(
      (isHeld) => void (isHeld || lose()),
      () => {},
    )

  if (!(await write(undefined))) return undefined
  const renewTimer = unref(setInterval(renew, leaseTtlMs / RENEWALS_PER_TTL))
  return {
    signal: controller.signal,
    async release() {
      isReleased = true
      clearInterval(renewTimer)
      clearTimeout(expiryTimer)
      if (!controller.signal.aborted) await store.compareAndSet(key, { expected: owner, value: undefined }).catch(() => {})
    },
  }
}

/** The abort reason of work whose lease was lost: another process may do the same work now. */
export class LeaseLostError extends PortcallError {
  override readonly name = 'LeaseLostError'
  readonly code = 'LEASE_LOST'

  /** The message names both possible causes. */
  constructor() {
    super('This process has lost its lease: the store did not respond for too long, or another process has taken over')
  }
}
