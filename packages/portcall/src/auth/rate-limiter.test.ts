import { expect, test, vi } from 'vitest'
import { createRateLimiter } from './rate-limiter.ts'

test('limits the attempts of each operation within ten minutes', () => {
  vi.useFakeTimers()
  try {
    const { tryAcquire } = createRateLimiter({ maxAttempts: 2 })
    expect([tryAcquire('a'), tryAcquire('a'), tryAcquire('a'), tryAcquire('b')]).toEqual([true, true, false, true])
    vi.advanceTimersByTime(600_001)
    expect(tryAcquire('a')).toBe(true)
    expect(createRateLimiter({ maxAttempts: 0 }).tryAcquire('a')).toBe(false)
  } finally {
    vi.useRealTimers()
  }
})

test('does not count attempts that are released', () => {
  const { tryAcquire, release } = createRateLimiter({ maxAttempts: 1 })
  expect(tryAcquire('a')).toBe(true)
  release('a')
  release('b')
  expect([tryAcquire('a'), tryAcquire('a')]).toEqual([true, false])
})
