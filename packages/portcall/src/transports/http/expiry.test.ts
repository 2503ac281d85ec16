import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createExpiry } from './expiry.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('is over for what nobody touches, by one timer that stops when it is not needed', () => {
  const over: string[] = []
  const expiry = createExpiry<string>(1000, (item) => over.push(item))
  expect(vi.getTimerCount()).toBe(0)
  expiry.touch('a')
  expiry.touch('b')
  expiry.touch('c')
  expiry.forget('c')
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(600)
  expiry.touch('a')
  vi.advanceTimersByTime(600)
  expect(over).toEqual(['b'])
  vi.advanceTimersByTime(600)
  expect(over).toEqual(['b', 'a'])
  vi.advanceTimersByTime(1000)
  expect(vi.getTimerCount()).toBe(0)
})

test('an item may be touched when it is over', () => {
  let times = 0
  const expiry = createExpiry<string>(1000, (item) => ++times < 3 && expiry.touch(item))
  expiry.touch('a')
  vi.advanceTimersByTime(10_000)
  expect([times, vi.getTimerCount()]).toEqual([3, 0])
})

test('stops', () => {
  const expiry = createExpiry<string>(1000, () => expect.fail())
  expiry.touch('a')
  expiry.stop()
  vi.advanceTimersByTime(5000)
  expect(vi.getTimerCount()).toBe(0)
})
