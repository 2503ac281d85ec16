import { describe, expect, test } from 'vitest'

/** A mistake that users make, and what the message that they see has to contain. */
export interface Mistake {
  readonly mistake: string
  /** Makes the mistake. Throws or rejects with the error that users see, or returns the text that is printed. */
  readonly run: () => unknown
  /** The event, its place, and the change that it needs. */
  readonly says: readonly string[]
}

/** Makes each mistake, and compares its message with the row. */
export function testMistakes(title: string, rows: readonly Mistake[]): void {
  describe(title, () => {
    test('each mistake is listed once', () => {
      expect(new Set(rows.map(({ mistake }) => mistake)).size).toBe(rows.length)
    })
    test.each(rows)('$mistake', async ({ run, says }) => {
      const message = await messageOf(run)
      for (const part of says) expect(message).toContain(part)
    })
  })
}

/** Returns the message of the error, or the text that `run` returns. */
async function messageOf(run: () => unknown): Promise<string> {
  try {
    const value = await run()
    return typeof value === 'string' ? value : `no error: ${JSON.stringify(value)}`
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
