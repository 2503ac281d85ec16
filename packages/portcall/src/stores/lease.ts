import { unref } from '../jsonrpc/waiting.ts'
import { randomId } from './seal.ts'
import type { Store } from './store.ts'

/** The right to do what only one may do among all who share a store, as long as this process lives. */
export interface Lease {
  /** Aborted with `LeaseLost` when the right is lost, or may be: the store was silent for too long. */
  readonly signal: AbortSignal
  /** Gives it back. Never rejects: what cannot be given back expires. */
  release(): Promise<void>
}

export interface LeaseOptions {
  readonly store: Store
  readonly key: string
  /** Who has died holds it for so long. It is renewed three times in this time. */
  readonly leaseMs: number
}

const RENEWALS = 3
/** The part of a lease after which it is no longer relied on: others measure it by another clock. */
const SAFE = 5 / 6

/** Takes a lease; nothing when somebody else has it. @throws what the store throws. */
export async function takeLease({ store, key, leaseMs }: LeaseOptions): Promise<Lease | undefined> {
  const owner = randomId()
  const lost = new AbortController()
  let end: ReturnType<typeof setTimeout> | undefined
  let released = false
  const lose = (): void => lost.abort(new LeaseLost())
  const swap = async (expected: string | undefined): Promise<boolean> => {
    const began = performance.now()
    const taken = await store.swap(key, { expected, value: owner, ttlMs: leaseMs })
    clearTimeout(end)
    if (taken && !released) end = unref(setTimeout(lose, leaseMs * SAFE - (performance.now() - began)))
    return taken
  }
  const renew = (): Promise<void> =>
    swap(owner).then(
      (kept) => void (kept || lose()),
      () => {},
    )

  if (!(await swap(undefined))) return undefined
  const timer = unref(setInterval(renew, leaseMs / RENEWALS))
  return {
    signal: lost.signal,
    async release() {
      released = true
      clearInterval(timer)
      clearTimeout(end)
      if (!lost.signal.aborted) await store.swap(key, { expected: owner, value: undefined }).catch(() => {})
    },
  }
}

/** The reason of a signal: others may do now what only one may do. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
  readonly code = 'LEASE_LOST'

  constructor() {
    super('This process has lost its lease: its store was silent for too long, or somebody else has taken over')
  }
}
