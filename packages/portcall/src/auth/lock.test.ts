import { expect, test, vi } from 'vitest'
import { createMemoryStore } from '../stores/memory-store.ts'
import { withLock } from './lock.ts'

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
