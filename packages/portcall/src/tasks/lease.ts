import { unref } from '../jsonrpc/waiting.ts'
import { randomId } from '../stores/seal.ts'
import type { Store } from '../stores/store.ts'

/** The right to work on a task, as long as this process lives. */
export interface Lease {
  /** Aborted when the right is lost, or may be: the store was silent for too long. */
  readonly signal: AbortSignal
  /** Gives it back. Never rejects: what cannot be given back expires. */
  release(): Promise<void>
}

export interface LeaseOptions {
  readonly store: Store
  readonly leaseMs: number
  /** Milliseconds of a clock that only goes forward. */
  readonly now: () => number
}

const KEY = 'tasks/lease/'

/** Takes the lease of a task; nothing when somebody else has it. */
export async function takeLease(ref: string, { store, leaseMs, now }: LeaseOptions): Promise<Lease | undefined> {
  const key = KEY + ref
  const owner = randomId()
  const lost = new AbortController()
  let renewed = now()
  if (!(await store.swap(key, { expected: undefined, value: owner, ttlMs: leaseMs }))) return undefined

  const renew = async (): Promise<void> => {
    const began = now()
    const kept = await store.swap(key, { expected: owner, value: owner, ttlMs: leaseMs }).catch(() => undefined)
    if (kept) renewed = began
    if (kept === false) lost.abort(new LeaseLost())
  }
  const tick = (): void => {
    if (now() - renewed >= leaseMs - leaseMs / 6) lost.abort(new LeaseLost())
    else void renew()
  }
  const timer = unref(setInterval(tick, leaseMs / 3))
  return {
    signal: lost.signal,
    async release() {
      clearInterval(timer)
      if (!lost.signal.aborted) await store.swap(key, { expected: owner, value: undefined }).catch(() => {})
    },
  }
}

/** Tells whether somebody has the lease of a task. */
export async function isLeased(ref: string, store: Store): Promise<boolean> {
  return (await store.get(KEY + ref)) !== undefined
}

/** The reason of a signal: others may work on this task now. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
  readonly code = 'LEASE_LOST'

  constructor() {
    super('This worker has lost its task: its store was silent for too long, or somebody else has taken over')
  }
}
