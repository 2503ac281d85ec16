/**
 * Simulated time. It advances only when the simulation says so; each timer belongs to the node that set it and ends with the node; the wall
 * clocks of two nodes may differ. Random values are generated from a seed.
 */
import { toHex } from '../../../util/src/bytes.ts'
import { createSeededRandom } from '../../src/testing/seeded-random.ts'

/** The node whose code runs. */
export interface Owner {
  /** The offset of its wall clock. */
  readonly skewMs: number
}

interface Timer {
  readonly owner: Owner | undefined
  readonly run: () => void
  readonly ms: number
  readonly repeats: boolean
  at: number
}

/** The timers and clocks of all nodes. */
export interface Timers {
  /** Returns the milliseconds since the start, the same for all nodes. */
  readonly now: () => number
  /** The node whose code runs now. New timers belong to it. */
  owner: Owner | undefined
  /** Removes and returns the next timer that is due by `until`, and advances to it. Without one, advances to `until`. */
  next(until: number): { readonly owner: Owner | undefined; run(): void } | undefined
  /** Removes the timers of a node. */
  drop(owner: Owner): void
  count(owner: Owner): number
  /** Restores the real timers and clocks. */
  restore(): void
}

const EPOCH = 1_800_000_000_000

/** Replaces the global timers, clocks and random values. */
export function installTimers(seed: number): Timers {
  const timers = new Map<number, Timer>()
  const random = createSeededRandom(seed)
  let time = 0
  let last = 0

  const set =
    (repeats: boolean) =>
    (run: () => void, ms = 0): number => {
      const wait = Math.max(Number(ms) || 0, repeats ? 1 : 0)
      timers.set(++last, { owner: self.owner, run, ms: wait, repeats, at: time + wait })
      return last
    }
  const clear = (id: unknown): void => void timers.delete(id as number)
  const self: Timers = {
    now: () => time,
    owner: undefined,
    next(until) {
      let first: [number, Timer] | undefined
      for (const entry of timers) if (entry[1].at <= until && (!first || entry[1].at < first[1].at)) first = entry
      time = first ? Math.max(time, first[1].at) : until
      if (!first) return undefined
      const [id, timer] = first
      timers.delete(id)
      if (timer.repeats) timers.set(id, Object.assign(timer, { at: time + timer.ms }))
      return timer
    },
    drop(owner) {
      for (const [id, timer] of timers) if (timer.owner === owner) timers.delete(id)
    },
    count: (owner) => [...timers.values()].filter((timer) => timer.owner === owner).length,
    restore: () => {
      for (const restore of restores) restore()
    },
  }
  const bytes = <T extends ArrayBufferView | null>(view: T): T => {
    if (view instanceof Uint8Array) for (let at = 0; at < view.length; at++) view[at] = random.number(256)
    return view
  }
  const restores = [
    replace(globalThis, { setTimeout: set(false), setInterval: set(true), clearTimeout: clear, clearInterval: clear }),
    replace(Date, { now: () => EPOCH + time + (self.owner?.skewMs ?? 0) }),
    replace(performance, { now: () => time }),
    replace(crypto, { getRandomValues: bytes, randomUUID: () => toHex(bytes(new Uint8Array(16))) }),
  ]
  return self
}

function replace(object: object, members: Record<string, unknown>): () => void {
  const before = Object.keys(members).map((name) => [name, Object.getOwnPropertyDescriptor(object, name)] as const)
  for (const [name, value] of Object.entries(members)) Object.defineProperty(object, name, { value, configurable: true })
  return () => {
    for (const [name, descriptor] of before)
      if (descriptor) Object.defineProperty(object, name, descriptor)
      else Reflect.deleteProperty(object, name)
  }
}
