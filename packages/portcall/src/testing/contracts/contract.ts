/*
 * The parts that the contract tests of the storage backends share. They run with any test framework: pass its `test` function and a
 * function that creates a backend.
 */

/** A backend under test. Each test creates its own, which must be empty. */
export interface ContractSubject<T> {
  /** The backend. */
  subject: T
  /** Advances the clock of the backend. Default: waits in real time. */
  advance?: (ms: number) => void | Promise<void>
  /** Called after the test. */
  close?: () => void | Promise<void>
}

/** How the tests of a contract run. */
export interface TestFramework<T, O = undefined> {
  /** `test` of Vitest, node:test or a similar framework. */
  test: (name: string, body: () => Promise<void>) => unknown
  /** Creates a backend. */
  create: (options: O) => ContractSubject<T> | Promise<ContractSubject<T>>
}

/** A test of a backend. `advance` advances its clock. */
export type ContractCase<T> = (subject: T, advance: (ms: number) => Promise<void>) => Promise<void>

/** Waits in real time. */
export const wait = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms))

/** Registers one test for each case. Each test has its own backend. */
export function runCases<T, O>(framework: TestFramework<T, O>, options: O, cases: Record<string, ContractCase<T>>): void {
  for (const [name, body] of Object.entries(cases)) {
    framework.test(name, async () => {
      const { subject, advance = wait, close } = await framework.create(options)
      try {
        await body(subject, async (ms) => advance(ms))
      } finally {
        await close?.()
      }
    })
  }
}

/** Asserts that two values have the same JSON. */
export function assertEqual(actual: unknown, expected: unknown): void {
  const [left, right] = [JSON.stringify(actual) ?? 'undefined', JSON.stringify(expected) ?? 'undefined']
  if (left !== right) throw new Error(`expected ${right}, received ${left}`)
}

/** Waits until a condition is true. @throws Error after `seconds`. */
export async function eventually(condition: () => boolean, seconds = 45): Promise<void> {
  for (let tries = 0; tries < 100 * seconds && !condition(); tries++) await wait(10)
  if (!condition()) throw new Error(`the condition was not met within ${seconds} seconds`)
}

/** Strings that are likely to be mistaken for something else. */
export const EDGE_CASE_STRINGS: readonly string[] = ['__proto__', 'constructor', ' ', 'a:b', 'ä\u{1f600}', '*', "'; --", 'a\nb']
