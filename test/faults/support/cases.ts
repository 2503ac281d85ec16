import { test } from 'vitest'

/** One fault: its id in the catalogue, what is done, and how. */
export interface Case<T> {
  id: string
  what: string
  run(server: T): Promise<unknown>
}

/** Makes a test of each case; after each, the server has to be as well as before. */
export function runCases<T extends { healthy(): Promise<void> }>(server: () => T, cases: readonly Case<T>[]): void {
  for (const { id, what, run } of cases)
    test(`${id}: ${what}`, async () => {
      await run(server())
      await server().healthy()
    })
}
