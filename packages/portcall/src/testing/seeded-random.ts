/** Pseudorandom numbers, which are the same for the same seed. */
export interface SeededRandom {
  /** Returns an integer from 0 to `limit`, exclusive. */
  number(limit: number): number
  /** Returns one of the values. @throws RangeError if there are none. */
  pick<T>(values: readonly T[]): T
}

/** Creates a pseudorandom number generator (mulberry32). */
export function createSeededRandom(seed: number): SeededRandom {
  let state = seed >>> 0
  const number = (limit: number): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit)
  }
  const pick = <T>(values: readonly T[]): T => {
    const value = values[number(values.length)]
    if (value === undefined) throw new RangeError('There are no values to pick from')
    return value
  }
  return { number, pick }
}

/** Runs a randomized test. The seed is PORTCALL_SEED if set, otherwise random. The error of a failed test contains the seed. */
export async function runWithSeed(test: (random: SeededRandom) => Promise<void>): Promise<void> {
  const fixed = (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env?.PORTCALL_SEED
  const seed = Number(fixed ?? Math.floor(Math.random() * 2 ** 31))
  try {
    await test(createSeededRandom(seed))
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)} (set PORTCALL_SEED=${seed} to reproduce)`, {
      cause: error,
    })
  }
}
