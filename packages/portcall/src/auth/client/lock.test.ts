import { expect, test, vi } from 'vitest'
import { createMemoryStore } from '../../stores/memory-store.ts'
import { withLock } from './lock.ts'
import { createShare } from './share.ts'
import { createSteps } from './steps.ts'
import { createTurns } from './turns.ts'

const NEVER = new AbortController().signal
const tick = () => new Promise((resolve) => setTimeout(resolve, 5))

test('a lock lets one in at a time, and is gone afterwards', async () => {
  const store = createMemoryStore()
  let inside = 0
  let most = 0
  const run = async () => {
    most = Math.max(most, ++inside)
    await tick()
    inside--
    if (most === 99) throw new Error('never')
  }
  await Promise.all(Array.from({ length: 5 }, () => withLock({ store, key: 'k', signal: NEVER }, run)))
  expect([most, await store.get('k')]).toEqual([1, undefined])
  await expect(withLock({ store, key: 'k', signal: NEVER }, () => Promise.reject(new Error('x')))).rejects.toThrow('x')
  expect(await store.get('k')).toBeUndefined()
})

test('a lock is kept as long as its holder lives, and not longer', async () => {
  vi.useFakeTimers()
  try {
    const store = createMemoryStore()
    let end = (): void => {}
    const held = withLock({ store, key: 'k', signal: NEVER }, () => new Promise<void>((resolve) => (end = resolve)))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await store.get('k')).toBeDefined()
    const waiting = vi.fn(async () => {})
    const second = withLock({ store, key: 'k', signal: NEVER }, waiting)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(waiting).not.toHaveBeenCalled()
    end()
    await vi.advanceTimersByTimeAsync(1000)
    await Promise.all([held, second])
    await store.set('k', 'of a process that died', { ttlMs: 15_000 })
    const third = withLock({ store, key: 'k', signal: NEVER }, waiting)
    await vi.advanceTimersByTimeAsync(16_000)
    await third
    expect(waiting).toHaveBeenCalledTimes(2)
  } finally {
    vi.useRealTimers()
  }
})

test('a lock is not waited for by who gives up', async () => {
  const store = createMemoryStore()
  await store.set('k', 'x')
  const controller = new AbortController()
  const waiting = withLock({ store, key: 'k', signal: controller.signal }, async () => {})
  controller.abort('enough')
  await expect(waiting).rejects.toBe('enough')
})

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
