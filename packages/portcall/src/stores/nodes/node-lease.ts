/**
 * The lease of a node: a process among those that share something. A node is alive while its key is in the store; it renews the key three times
 * within the lease time. A node that cannot renew its key considers itself failed before the others do, measured by a monotonic clock,
 * and lets go of what another node may take over. If it renews the key later, it starts a new epoch and claims what it had again.
 */

import { createSingleFlight, retryableOnce } from '../../../../util/src/async.ts'
import { randomId } from '../../../../util/src/random.ts'
import { unref } from '../../../../util/src/timers.ts'
import type { KeyValueStore } from '../store.ts'

export interface NodeLease {
  /** The name of this node. */
  readonly node: string
  /** The name of this node and its current epoch. Identifies the owner of what it has. */
  readonly owner: string
  /** Reports whether the other nodes consider this node alive. The first call after the lease was lost calls `onLost`. */
  isHeld(): boolean
  /** Acquires the lease. Does nothing if it was acquired before. */
  start(): Promise<void>
  /** Sets the listeners. */
  setListeners(listeners: LeaseListeners): void
  /** Resolves when the lease is held, or the node was stopped. */
  whenHeld(): Promise<void>
  /** Reports whether an owner is this node, in any epoch. */
  isOwn(owner: string): boolean
  /** Reports whether a node is alive, or an owner is in its current epoch. */
  isAlive(name: string): Promise<boolean>
  /** Resolves to the names of the other nodes that are alive. */
  listOthers(): Promise<string[]>
  /** Gives up the lease. */
  stop(): Promise<void>
}

export interface LeaseListeners {
  /** Called when other nodes may take over what this node owns. */
  onLost(): void
  /** Claims again what no other node has taken over. The lease is held when the promise resolves. */
  onRegained(): Promise<void>
}

const HEARTBEATS_PER_LEASE = 3
/** The part of the lease time for which the node relies on it, because clocks differ in speed. */
const SAFETY_FACTOR = 0.9
const NAME_BYTES = 6

/** Creates a name that no other node has. */
export const createNodeName = (): string => randomId(NAME_BYTES)

export interface NodeLeaseOptions {
  readonly store: KeyValueStore
  /** The start of the keys, which tells nodes for different purposes apart. */
  readonly prefix: string
  readonly leaseTtlMs: number
}

export function createNodeLease({ store, prefix, leaseTtlMs }: NodeLeaseOptions): NodeLease {
  const node = createNodeName()
  const keyOf = (name: string): string => `${prefix}/node/${name}`
  const key = keyOf(node)
  const waiters = new Set<() => void>()
  const reads = createSingleFlight<string | undefined>()
  let listeners: LeaseListeners | undefined
  let epoch = 0
  let expiresAt = 0
  let isLost = true
  let isNewEpoch = false
  let isStopped = false
  let timer: ReturnType<typeof setTimeout> | undefined

  const isHeld = (): boolean => {
    if (!isLost && performance.now() >= expiresAt) lose()
    return !isLost
  }
  const lose = (): void => {
    isLost = true
    listeners?.onLost()
  }
  const renew = async (): Promise<void> => {
    const renewedAt = performance.now()
    const value = String(epoch)
    if (epoch === 0 || !(await store.compareAndSet(key, { expected: value, value, ttlMs: leaseTtlMs }))) await startEpoch()
    if (isNewEpoch) await listeners?.onRegained()
    isNewEpoch = false
    expiresAt = renewedAt + leaseTtlMs * SAFETY_FACTOR
    if (!isLost) return
    isLost = false
    wakeAll()
  }
  const startEpoch = async (): Promise<void> => {
    if (!isLost) lose()
    isNewEpoch = true
    epoch++
    await store.set(key, String(epoch), { ttlMs: leaseTtlMs })
  }
  const wakeAll = (): void => {
    for (const wake of waiters) wake()
    waiters.clear()
  }
  const sendHeartbeat = async (): Promise<void> => {
    const failed = await renew().then(
      () => false,
      () => true,
    )
    isHeld()
    schedule(failed ? leaseTtlMs / HEARTBEATS_PER_LEASE / HEARTBEATS_PER_LEASE : leaseTtlMs / HEARTBEATS_PER_LEASE)
  }
  const schedule = (ms: number): void => {
    if (isStopped) return
    clearTimeout(timer)
    timer = unref(setTimeout(() => void sendHeartbeat(), ms))
  }
  const starting = retryableOnce(async () => {
    await renew()
    schedule(leaseTtlMs / HEARTBEATS_PER_LEASE)
  })

  return {
    node,
    get owner() {
      return `${node}:${epoch}`
    },
    isHeld,
    start: () => starting.run(),
    setListeners(value) {
      listeners = value
    },
    whenHeld: () => (isHeld() ? Promise.resolve() : new Promise((wake) => void waiters.add(wake))),
    isOwn: (owner) => owner.startsWith(`${node}:`),
    async isAlive(name) {
      const [other = '', otherEpoch] = name.split(':')
      const current = await reads.run(other, () => store.get(keyOf(other)))
      return current !== undefined && (otherEpoch === undefined || otherEpoch === current)
    },
    async listOthers() {
      const alive = await store.list(keyOf(''))
      return alive.map((other) => other.slice(keyOf('').length)).filter((other) => other !== node)
    },
    async stop() {
      isStopped = true
      isLost = true
      clearTimeout(timer)
      wakeAll()
      if (epoch > 0) await store.delete(key)
    },
  }
}
