import fc from 'fast-check'
import { expect, test } from 'vitest'
import { HTTP_CLIENT_LIMITS } from './client-limits.ts'
import { retryAfter, within } from './timing.ts'

const { minRetryMs, maxRetryMs } = HTTP_CLIENT_LIMITS

test('a stream is asked for no earlier than the server wants, and never at once', () => {
  fc.assert(
    fc.property(fc.option(fc.nat(), { nil: undefined }), fc.nat(100), (retryMs, failures) => {
      const ms = retryAfter(HTTP_CLIENT_LIMITS, retryMs, failures)
      expect(ms).toBeGreaterThanOrEqual(Math.min(Math.max(retryMs ?? 1000, minRetryMs), maxRetryMs))
      expect(ms).toBeLessThanOrEqual(maxRetryMs + 30_000)
    }),
  )
  expect(retryAfter(HTTP_CLIENT_LIMITS, 500)).toBe(500)
  expect(retryAfter(HTTP_CLIENT_LIMITS, 0)).toBe(minRetryMs)
})

test('failures spread the next try, up to half a minute', () => {
  const waits = Array.from({ length: 200 }, () => retryAfter(HTTP_CLIENT_LIMITS, 0, 20))
  expect(Math.max(...waits)).toBeGreaterThan(20_000)
  expect(new Set(waits).size).toBeGreaterThan(190)
})

test('what may take a while is waited for, but not for long', async () => {
  await within(10_000, (done) => done())
  const startedAt = performance.now()
  await within(20, () => {})
  expect(performance.now() - startedAt).toBeGreaterThan(15)
})
