import { createMutex } from '../../../util/src/async.ts'
import { PortcallError } from '../../../util/src/errors.ts'
import { randomId } from '../../../util/src/random.ts'
import { delay, unref } from '../../../util/src/timers.ts'
import type { FutureLeases } from './future-leases.ts'
import type { KeyValueStore } from './store.ts'

/** An exclusive right among all processes that share a store. It is renewed automatically while this process runs. */
export interface Lease {
  /**
   * Aborted with `LeaseLostError` when the lease is lost: another process holds it or has held it. Without `mayContinue`, also when a renewal is
   * overdue, because another process may take it then.
   */
  readonly signal: AbortSignal
  /** Resolves when this process certainly holds the lease: at once, unless a renewal is overdue. @throws LeaseLostError */
  whenHeld(): Promise<void>
  /** Changes how long the lease blocks others after this process has failed. @throws whatever the store throws. */
  setTtl(leaseTtlMs: number): Promise<void>
  /** Releases the lease. Never rejects: a lease that cannot be released expires. */
  release(): Promise<void>
}

export interface LeaseOptions {
  readonly store: KeyValueStore
  readonly key: string
  /** How long the lease of a process that has failed blocks others. The lease is renewed three times in this time. */
  readonly leaseTtlMs: number
  /**
   * Keeps a lease that has expired because this process could not renew it, as long as nobody else has taken it: a process that was paused, or
   * whose store was unavailable, has not failed. Called after the expired lease was acquired again. Resolves to whether nobody has done any of
   * the work in between. Without it, the lease is lost when a renewal is overdue.
   */
  readonly mayContinue?: () => Promise<boolean>
  /**
   * Finds leases that were acquired before a clock was set back: further in the future than clocks may differ, and not renewed any more. They count as
   * expired. Default: such leases block others until the clock has caught up, where the expiry of entries depends on it.
   */
  readonly futureLeases?: FutureLeases
  /** Returns the probable cause of a loss, for the message of the error. */
  readonly causeOfLoss?: () => string | undefined
}

const RENEWALS_PER_TTL = 3
/** Attempts to renew a lease in this time, once one has failed. */
const RETRIES_PER_TTL = 9
/** The fraction of the TTL after which the lease may be lost: other processes measure the TTL with another clock. */
const SAFE_FRACTION = 5 / 6

/** Acquires a lease. Resolves to `undefined` if another process holds it. @throws whatever the store throws. */
export async function takeLease(options: LeaseOptions): Promise<Lease | undefined> {
  const lease = createLease(options)
  return (await lease.acquire()) ? lease : undefined
}

interface AcquirableLease extends Lease {
  acquire(): Promise<boolean>
}

function createLease(options: LeaseOptions): AcquirableLease {
  const { store, key, mayContinue, futureLeases, causeOfLoss } = options
  const entry = createLeaseEntry(store, key)
  const controller = new AbortController()
  const { signal } = controller
  const renewals = createMutex()
  const certainty = createCertainty()
  let { leaseTtlMs } = options
  let renewTimer: ReturnType<typeof setTimeout> | undefined
  let expiryTimer: ReturnType<typeof setTimeout> | undefined
  let isReleased = false
  /** True if somebody else may have held the lease since it was acquired. */
  let isInterrupted = false

  const lose = (): void => {
    stopTimers()
    if (!isReleased) controller.abort(new LeaseLostError(causeOfLoss?.()))
  }
  const stopTimers = (): void => {
    clearTimeout(renewTimer)
    clearTimeout(expiryTimer)
  }
  const writeWith = async (writeEntry: (ttlMs: number) => Promise<boolean>): Promise<boolean> => {
    const startedAt = performance.now()
    const isHeld = await writeEntry(leaseTtlMs)
    if (!isHeld || isReleased) return isHeld
    const safeMs = leaseTtlMs * SAFE_FRACTION - (performance.now() - startedAt)
    certainty.extend(safeMs)
    clearTimeout(expiryTimer)
    if (!mayContinue) expiryTimer = unref(setTimeout(lose, safeMs))
    return true
  }
  const write = (expected: string | undefined): Promise<boolean> => writeWith((ttlMs) => entry.write(expected, ttlMs))
  const writeOwn = (): Promise<boolean> => writeWith(entry.renew)
  const replaceFutureLease = async (leases: FutureLeases): Promise<boolean> => {
    const value = await store.get(key)
    return value !== undefined && leases.areOver(key, value, leaseTtlMs) && write(value)
  }
  /** Acquires an expired lease again. */
  const resume = async (): Promise<boolean> => {
    if (!isInterrupted && (await writeOwn())) return true
    if (!mayContinue) return false
    isInterrupted = true
    if (!(await writeOwn()) && !(await write(undefined))) return false
    if (!(await mayContinue())) {
      await entry.remove().catch(() => {})
      return false
    }
    isInterrupted = false
    return true
  }
  const renew = (): Promise<void> =>
    renewals.run(async () => {
      if (isReleased || signal.aborted) return
      const isHeld = await resume().catch(() => undefined)
      if (isHeld === false) lose()
      else schedule(leaseTtlMs / (isHeld ? RENEWALS_PER_TTL : RETRIES_PER_TTL))
    })
  const schedule = (ms: number): void => {
    clearTimeout(renewTimer)
    if (!isReleased && !signal.aborted) renewTimer = unref(setTimeout(renew, ms))
  }

  return {
    signal,
    async acquire() {
      const isAcquired = (await write(undefined)) || (futureLeases !== undefined && (await replaceFutureLease(futureLeases)))
      if (isAcquired) schedule(leaseTtlMs / RENEWALS_PER_TTL)
      return isAcquired
    },
    async whenHeld() {
      while (isReleased || isInterrupted || !certainty.isCertain()) {
        signal.throwIfAborted()
        if (isReleased) throw new LeaseLostError('it was released')
        await renew()
        if (!certainty.isCertain()) await delay(leaseTtlMs / RETRIES_PER_TTL, signal)
      }
      signal.throwIfAborted()
    },
    async setTtl(ms) {
      leaseTtlMs = ms
      await renewals.run(writeOwn)
      schedule(leaseTtlMs / RENEWALS_PER_TTL)
    },
    async release() {
      isReleased = true
      stopTimers()
      if (signal.aborted) return
      await renewals.run(entry.remove).catch(() => {})
    },
  }
}

/** The entry of a lease in the store. Its text changes with each renewal, so that others see that its holder works. */
interface LeaseEntry {
  /** Writes the lease over what the store holds. */
  write(expected: string | undefined, ttlMs: number): Promise<boolean>
  /** Writes the lease over its own text. */
  renew(ttlMs: number): Promise<boolean>
  remove(): Promise<void>
}

function createLeaseEntry(store: KeyValueStore, key: string): LeaseEntry {
  const id = randomId()
  /** The text in the store while this process has the lease. */
  let confirmed: string | undefined
  /** The text in the store instead, if the last write succeeded although its outcome is not known. */
  let pending: string | undefined
  const write: LeaseEntry['write'] = async (expected, ttlMs) => {
    pending ??= [id, ttlMs, Date.now()].join('.')
    const value = pending
    if (!(await store.compareAndSet(key, { expected, value, ttlMs }))) return false
    confirmed = value
    pending = undefined
    return true
  }
  return {
    write,
    renew: async (ttlMs) =>
      (confirmed !== undefined && (await write(confirmed, ttlMs))) || (pending !== undefined && (await write(pending, ttlMs))),
    async remove() {
      for (const expected of [confirmed, pending])
        if (expected !== undefined && (await store.compareAndSet(key, { expected, value: undefined }))) return
    },
  }
}

/** Measures how long a lease is held for certain. */
interface Certainty {
  extend(ms: number): void
  isCertain(): boolean
}

/** Uses two clocks: the monotonic one stands still while the computer is suspended, and the other one can be set. */
function createCertainty(): Certainty {
  let until = -Infinity
  let untilDate = -Infinity
  return {
    extend(ms) {
      until = performance.now() + ms
      untilDate = Date.now() + ms
    },
    isCertain: () => performance.now() < until && Date.now() < untilDate,
  }
}

/** The abort reason of work whose lease was lost: another process may do the same work now. */
export class LeaseLostError extends PortcallError {
  override readonly name = 'LeaseLostError'
  readonly code = 'LEASE_LOST'

  /** Without a known cause, the message names the possible ones. */
  constructor(cause = 'the store did not respond for too long, or another process has taken over') {
    super(`This process has lost its lease: ${cause}`)
  }
}
