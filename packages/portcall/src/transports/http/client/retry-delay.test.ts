import fc from 'fast-check'
import { expect, test } from 'vitest'
import { HTTP_CLIENT_LIMITS } from './limits.ts'
import { streamRetryDelayMs } from './retry-delay.ts'

const { minRetryDelayMs, maxRetryDelayMs } = HTTP_CLIENT_LIMITS

test('the delay respects the server and the limits', () => {
  fc.assert(
    fc.property(fc.option(fc.nat(), { nil: undefined }), fc.nat(100), (serverDelayMs, failures) => {
      const ms = streamRetryDelayMs(HTTP_CLIENT_LIMITS, serverDelayMs, failures)
      expect(ms).toBeGreaterThanOrEqual(Math.min(Math.max(serverDelayMs ?? 1000, minRetryDelayMs), maxRetryDelayMs))
      expect(ms).toBeLessThanOrEqual(maxRetryDelayMs + 30_000)
    }),
  )
  expect(streamRetryDelayMs(HTTP_CLIENT_LIMITS, 500)).toBe(500)
  expect(streamRetryDelayMs(HTTP_CLIENT_LIMITS, 0)).toBe(minRetryDelayMs)
})

test('failures add a random delay of up to half a minute', () => {
  const delays = Array.from({ length: 200 }, () => streamRetryDelayMs(HTTP_CLIENT_LIMITS, 0, 20))
  expect(Math.max(...delays)).toBeGreaterThan(20_000)
  expect(new Set(delays).size).toBeGreaterThan(190)
})
