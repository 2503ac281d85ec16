/*
 * What every backend of the three contracts has to do, as tests that any runner takes: give its `test` and a way to make a backend.
 */

/** One backend under test; made anew for each test, and empty. */
export interface Subject<T> {
  subject: T
  /** Lets time pass for the backend. Default: really waits. */
  advance?: (ms: number) => void | Promise<void>
  close?: () => void | Promise<void>
}

/** How the tests of a contract are run. */
export interface Suite<T, O = undefined> {
  /** `test` of Vitest, node:test, or anything alike. */
  test: (name: string, body: () => Promise<void>) => unknown
  /** Makes the backend. */
  create: (options: O) => Subject<T> | Promise<Subject<T>>
}

/** One test of a subject, which can let time pass. */
export type Case<T> = (subject: T, advance: (ms: number) => Promise<void>) => Promise<void>

/** Really waits. */
export const wait = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms))

/** Runs cases, each with a subject of its own. */
export function run<T, O>(suite: Suite<T, O>, options: O, cases: Record<string, Case<T>>): void {
  for (const [name, body] of Object.entries(cases)) {
    suite.test(name, async () => {
      const { subject, advance = wait, close } = await suite.create(options)
      try {
        await body(subject, async (ms) => advance(ms))
      } finally {
        await close?.()
      }
    })
  }
}

/** Compares by JSON. */
export function equal(found: unknown, wanted: unknown): void {
  const [left, right] = [JSON.stringify(found) ?? 'undefined', JSON.stringify(wanted) ?? 'undefined']
  if (left !== right) throw new Error(`expected ${right}, found ${left}`)
}

/** Waits for something that happens soon. */
export async function eventually(condition: () => boolean, seconds = 45): Promise<void> {
  for (let tries = 0; tries < 100 * seconds && !condition(); tries++) await wait(10)
  if (!condition()) throw new Error(`it did not happen within ${seconds} seconds`)
}

/** Texts that are easily taken for something else. */
export const STRANGE: readonly string[] = ['__proto__', 'constructor', ' ', 'a:b', 'ä\u{1f600}', '*', "'; --", 'a\nb']
