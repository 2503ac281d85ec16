import { expect, test, vi } from 'vitest'
import { createShare } from './share.ts'
import { createSteps } from './steps.ts'
import { createTurns } from './turns.ts'

const NEVER = new AbortController().signal
const tick = () => new Promise((resolve) => setTimeout(resolve, 5))

test('work is shared, and given up when the last has left', async () => {
  const share = createShare<string>()
  expect(share.join(undefined)).toBeUndefined()
  const [first, second] = [new AbortController(), new AbortController()]
  let given: AbortSignal | undefined
  const run = (signal: AbortSignal) => {
    given = signal
    return new Promise<string>(() => {})
  }
  const results = [share.begin(run, first.signal), share.join(second.signal), share.begin(run, undefined)].slice(0, 2)
  first.abort('one')
  await expect(results[0]).rejects.toBe('one')
  expect(given?.aborted).toBe(false)
  second.abort('two')
  await expect(results[1]).rejects.toBe('two')
  expect(share.join(undefined)).toBeDefined()
})

test('work that is over is begun anew', async () => {
  const share = createShare<number>()
  let count = 0
  const next = () => share.begin(async () => ++count, undefined)
  expect(await Promise.all([next(), next()])).toEqual([1, 1])
  expect(await next()).toBe(2)
  await expect(share.begin(() => Promise.reject(new Error('x')), undefined)).rejects.toThrow('x')
  expect(await next()).toBe(3)
})

test('turns are taken one after the other, also after one that was not waited for', async () => {
  const turns = createTurns()
  const order: string[] = []
  const take = (name: string, signal = NEVER) =>
    turns(async () => {
      order.push(`${name} begins`)
      await tick()
      order.push(`${name} ends`)
    }, signal)
  const first = take('a')
  await expect(take('b', AbortSignal.abort('enough'))).rejects.toBe('enough')
  await Promise.all([first, take('c')])
  expect(order).toEqual(['a begins', 'a ends', 'c begins', 'c ends'])
})

test('tries are counted by operation, for ten minutes', () => {
  vi.useFakeTimers()
  try {
    const steps = createSteps(2)
    expect([steps.take('a'), steps.take('a'), steps.take('a'), steps.take('b')]).toEqual([true, true, false, true])
    vi.advanceTimersByTime(600_001)
    expect(steps.take('a')).toBe(true)
    expect(createSteps(0).take('a')).toBe(false)
  } finally {
    vi.useRealTimers()
  }
})
