import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createIdleTimers } from './idle-timers.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('items that are not used expire, with one timer that runs only while it is needed', () => {
  const expired: string[] = []
  const timers = createIdleTimers<string>(1000, (item) => expired.push(item))
  expect(vi.getTimerCount()).toBe(0)
  timers.touch('a')
  timers.touch('b')
  timers.touch('c')
  timers.remove('c')
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(600)
  timers.touch('a')
  vi.advanceTimersByTime(600)
  expect(expired).toEqual(['b'])
  vi.advanceTimersByTime(600)
  expect(expired).toEqual(['b', 'a'])
  vi.advanceTimersByTime(1000)
  expect(vi.getTimerCount()).toBe(0)
})

test('an item may be used again when it expires', () => {
  let times = 0
  const timers = createIdleTimers<string>(1000, (item) => ++times < 3 && timers.touch(item))
  timers.touch('a')
  vi.advanceTimersByTime(10_000)
  expect([times, vi.getTimerCount()]).toEqual([3, 0])
})

test('stop stops all timers', () => {
  const timers = createIdleTimers<string>(1000, () => expect.fail())
  timers.touch('a')
  timers.stop()
  vi.advanceTimersByTime(5000)
  expect(vi.getTimerCount()).toBe(0)
})
