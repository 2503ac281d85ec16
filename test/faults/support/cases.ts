import { test } from 'vitest'

/** One fault: its id in the catalogue, a title, and the function that causes it. */
export interface Case<T> {
  id: string
  what: string
  run(server: T): Promise<unknown>
}

/** Defines a test for each case. After each, the server must still be healthy. */
export function runCases<T extends { healthy(): Promise<void> }>(server: () => T, cases: readonly Case<T>[]): void {
  for (const { id, what, run } of cases)
    test(`${id}: ${what}`, async () => {
      await run(server())
      await server().healthy()
    })
}
