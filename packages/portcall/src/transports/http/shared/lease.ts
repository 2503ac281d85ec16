/**
 * One process among those that share the sessions. It is alive to the others while its key is in the store, which it writes anew three
 * times in the life of the key. Who cannot do that holds itself for dead before the others do, by a clock that nobody sets: then it
 * gives up what another process may take over. When it comes back later than that, it does so under a new number, and what it
 * still believes to hold it has to win again.
 */
import { unref } from '../../../jsonrpc/waiting.ts'
import type { Store } from '../../../stores/store.ts'
import { Key } from './records.ts'

/** This process, as the others know it. */
export interface Lease {
  /** Its name as long as it lives. */
  readonly node: string
  /** Its name with the number of its present life: who owns a stream. */
  readonly owner: string
  /** Whether the others hold it for alive for sure. Finding out that they may not, it gives up at once what they may take. */
  held(): boolean
  /** Takes part; from the second time on it does nothing. */
  start(): Promise<void>
  /** Resolves when it is alive, at once or after a beat. */
  untilHeld(): Promise<void>
  /** Whether a name is that of this process, in whichever life. */
  isMe(name: string): boolean
  /** Whether a node, or one life of it, is alive. */
  isAlive(name: string): Promise<boolean>
  /** Takes no part any more. */
  stop(): Promise<void>
}

export interface LeaseOptions {
  readonly store: Store
  /** How long the others wait for a sign of life. */
  readonly leaseMs: number
  /** Gives up what others may take over. */
  readonly lose: () => void
  /** Wins back what nobody has taken over. */
  readonly regain: () => Promise<void>
}

const BEATS = 3
/** The part of a lease after which it is no longer relied on: clocks do not run at quite the same speed. */
const SAFE = 0.9

/** Makes the lease of this process. */
export function createLease({ store, leaseMs, lose, regain }: LeaseOptions): Lease {
  const node = randomName()
  const key = Key.node(node)
  const waiters = new Set<() => void>()
  let life = 0
  let end = 0
  let lost = true
  let isNew = false
  let stopped = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let starting: Promise<void> | undefined

  const held = (): boolean => {
    if (!lost && performance.now() >= end) {
      lost = true
      lose()
    }
    return !lost
  }
  const renew = async (): Promise<void> => {
    const began = performance.now()
    const value = String(life)
    if (life === 0 || !(await store.swap(key, { expected: value, value, ttlMs: leaseMs }))) await begin()
    if (isNew) await regain()
    isNew = false
    end = began + leaseMs * SAFE
    if (!lost) return
    lost = false
    for (const wake of waiters) wake()
    waiters.clear()
  }
  const begin = async (): Promise<void> => {
    if (!lost) lose()
    lost = true
    isNew = true
    life++
    await store.set(key, String(life), { ttlMs: leaseMs })
  }
  const beat = async (): Promise<void> => {
    const failed = await renew().then(
      () => false,
      () => true,
    )
    held()
    plan(failed ? leaseMs / BEATS / BEATS : leaseMs / BEATS)
  }
  const plan = (ms: number): void => {
    if (stopped) return
    clearTimeout(timer)
    timer = unref(setTimeout(() => void beat(), ms))
  }

  return {
    node,
    get owner() {
      return `${node}:${life}`
    },
    held,
    start() {
      starting ??= renew().then(
        () => plan(leaseMs / BEATS),
        (error) => {
          starting = undefined
          throw error
        },
      )
      return starting
    },
    untilHeld: () => (held() ? Promise.resolve() : new Promise((wake) => void waiters.add(wake))),
    isMe: (name) => name.startsWith(`${node}:`),
    isAlive: createLiveness(store),
    async stop() {
      stopped = true
      lost = true
      clearTimeout(timer)
      for (const wake of waiters) wake()
      if (life > 0) await store.delete(key)
    },
  }
}

/** Makes what tells whether others are alive; who asks while the answer is under way gets the same. */
function createLiveness(store: Store): Lease['isAlive'] {
  const asked = new Map<string, Promise<string | undefined>>()
  return async (name) => {
    const [other = '', life] = name.split(':')
    const reading = asked.get(other) ?? store.get(Key.node(other)).finally(() => asked.delete(other))
    asked.set(other, reading)
    const found = await reading
    return found !== undefined && (life === undefined || found === life)
  }
}

const NAME_BYTES = 6

function randomName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(NAME_BYTES))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
