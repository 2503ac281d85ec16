/** Size of the smaller of two texts, in characters. A function that takes quadratic time needs tens of milliseconds for the larger. */
const SIZE = 16_384
/** Shorter times are not measured: they are those of the clock. */
const NEGLIGIBLE_MS = 4
/** The growth that a function of linear time shows if nothing disturbs it, with some room. */
const LINEAR = 2.5

/** A size relative to that of the smaller text, and how many times both are measured. Few functions need more than one. */
interface Measurement {
  readonly factor: number
  readonly runs: number
}

const FIRST: Measurement = { factor: 4, runs: 20 }
/** With a greater factor, linear and quadratic time differ by more than what a busy machine adds: 16 and 256 times as long. */
const DECIDING: Measurement = { factor: 16, runs: 5 }

/**
 * Returns how many times longer a function takes for a text that is twice as long: 2 for linear time, 4 for quadratic time. Returns 1 for work
 * that takes next to no time. Times are those of the CPU, the best of several runs.
 */
export function growthOf(run: (text: string) => unknown, textOf: (size: number) => string): number {
  const growth = growthBy(FIRST, run, textOf)
  return growth <= LINEAR ? growth : growthBy(DECIDING, run, textOf)
}

function growthBy({ factor, runs }: Measurement, run: (text: string) => unknown, textOf: (size: number) => string): number {
  const [small, large] = [textOf(SIZE), textOf(factor * SIZE)]
  run(small)
  let [bestSmall, bestLarge] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  let growth = 1
  for (let n = 0; n < runs; n++) {
    bestLarge = Math.min(bestLarge, cpuTime(run, large))
    if (bestLarge < NEGLIGIBLE_MS) return 1
    // The small texts together take as much memory as a large one, and so as much of the garbage collector's time, which depends on the process.
    bestSmall = Math.min(bestSmall, cpuTime(run, small, factor) / factor)
    growth = (bestLarge / bestSmall) ** (1 / Math.log2(factor))
    if (growth <= LINEAR) return growth
  }
  return growth
}

function cpuTime(run: (text: string) => unknown, text: string, times = 1): number {
  const before = process.cpuUsage()
  for (let n = 0; n < times; n++) run(text)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** Texts whose repetition made formatters slow: spaces, ends of lines, and what starts or ends patterns. */
export const PIECES: readonly string[] = [
  ' ',
  '\n',
  ' \n',
  '\t\n',
  '\r',
  '(',
  ')',
  '[',
  '{',
  '}',
  'https://',
  'HTTP 401 ',
  '. ',
  '" exited with ',
  '"',
  '\\',
  'Error',
  'Error.',
  'a',
  'a b ',
  ':',
  '://',
  '?',
  '@',
  '|',
  '\u001b',
  '\ud83d\ude00',
]
