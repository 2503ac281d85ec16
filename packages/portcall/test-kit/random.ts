/** Numbers that look random, the same ones for each seed. */
export interface Random {
  /** A number from 0 to less than 1. */
  next(): number
  /** An integer from 0 to `limit - 1`. */
  below(limit: number): number
  /** True with a probability. */
  chance(probability: number): boolean
  /** One of several items. */
  pick<T>(items: readonly T[]): T
}

/** Creates a generator (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return { next, below, chance: (probability) => next() < probability, pick: (items) => items[below(items.length)] as never }
}
