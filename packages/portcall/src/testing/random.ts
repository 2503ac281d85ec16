/** Numbers that look random, and are the same for the same seed. */
export interface Random {
  /** A whole number from 0 up to, but not including, `below`. */
  number(below: number): number
  pick<T>(values: readonly T[]): T
}

/** Makes numbers out of a seed (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const number = (below: number): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
  const pick = <T>(values: readonly T[]): T => {
    const value = values[number(values.length)]
    if (value === undefined) throw new RangeError('There is nothing to pick')
    return value
  }
  return { number, pick }
}

/** Runs a walk with a seed of its own, which is told when it fails; `PORTCALL_SEED` gives one. */
export async function walk(run: (random: Random) => Promise<void>): Promise<void> {
  const given = (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env?.PORTCALL_SEED
  const seed = Number(given ?? Math.floor(Math.random() * 2 ** 31))
  try {
    await run(createRandom(seed))
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)} (PORTCALL_SEED=${seed} runs it again)`, {
      cause: error,
    })
  }
}
