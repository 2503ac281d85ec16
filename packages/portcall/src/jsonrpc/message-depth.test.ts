import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exceedsDepth } from './message.ts'

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

describe('exceedsDepth', () => {
  test('agrees with the depth of the parsed value', () => {
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 6, stringUnit: fc.constantFrom('"', '\\', '[', '{', ']', '}', 'a') }),
        fc.integer({ min: 0, max: 7 }),
        (text, max) => {
          expect(exceedsDepth(text, max)).toBe(depthOf(JSON.parse(text)) > max)
        },
      ),
      { numRuns: 2000 },
    )
  })

  test('H15, S07: the limit is exact, with objects and arrays mixed', () => {
    for (const max of [1, 2, 127, 128, 129]) {
      expect(exceedsDepth(nested(max), max)).toBe(false)
      expect(exceedsDepth(nested(max + 1), max)).toBe(true)
      const mixed = '{"a":['.repeat(max) + ']}'.repeat(max)
      expect([exceedsDepth(mixed, 2 * max), exceedsDepth(mixed, 2 * max - 1)]).toEqual([false, true])
    }
  })

  test('brackets in strings do not count', () => {
    const brackets = '['.repeat(1000)
    expect(exceedsDepth(JSON.stringify({ text: brackets, more: `\\"${brackets}\\` }), 2)).toBe(false)
    expect(exceedsDepth(`["${brackets}`, 2)).toBe(false)
  })

  test('S07: a million levels, closed or not, do not overflow the stack', () => {
    expect(exceedsDepth(nested(1_000_000), 128)).toBe(true)
    expect(exceedsDepth('['.repeat(1_000_000), 128)).toBe(true)
    expect(exceedsDepth('{"a":'.repeat(1_000_000), 128)).toBe(true)
  })

  test('hostile text takes linear time', () => {
    const open = '[[],'.repeat(200)
    const texts = ['\\'.repeat(4_000_000), '\\"'.repeat(2_000_000), '"'.repeat(4_000_000), '[]'.repeat(2_000_000)]
    for (const text of texts) {
      const started = performance.now()
      exceedsDepth(`["${text}`, 128)
      exceedsDepth(`${open}"${text}`, 300)
      expect(performance.now() - started).toBeLessThan(10_000)
    }
  })
})
