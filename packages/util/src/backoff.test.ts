import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createBackoff } from './backoff.ts'

test('delays double up to the maximum, and start over after a reset', () => {
  const backoff = createBackoff({ firstMs: 100, maxMs: 500, jitter: 0 })
  const next = (): number[] => Array.from({ length: 5 }, () => backoff.next())
  expect(next()).toEqual([100, 200, 400, 500, 500])
  backoff.reset()
  expect(next()).toEqual([100, 200, 400, 500, 500])
})

test('jitter only shortens a delay, by at most its share', () => {
  const options = fc.record({
    firstMs: fc.integer({ min: 1, max: 10_000 }),
    maxMs: fc.integer({ min: 1, max: 100_000 }),
    jitter: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  fc.assert(
    fc.property(options, fc.integer({ min: 1, max: 100 }), (options, attempts) => {
      const { jitter } = options
      const [exact, random] = [createBackoff({ ...options, jitter: 0 }), createBackoff(options)]
      for (let attempt = 0; attempt < attempts; attempt++) {
        const ms = exact.next()
        const delay = random.next()
        expect(delay).toBeLessThanOrEqual(ms)
        expect(delay).toBeGreaterThanOrEqual(ms * (1 - jitter))
        expect(delay).toBeLessThanOrEqual(options.maxMs)
      }
    }),
  )
})
