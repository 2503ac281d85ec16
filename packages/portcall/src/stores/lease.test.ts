import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { LeaseLost, takeLease } from './lease.ts'
import { createMemoryStore } from './memory-store.ts'
import type { Store } from './store.ts'

const leaseMs = 6000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('one has a lease, for as long as it lives', async () => {
  const store = createMemoryStore()
  const lease = await takeLease({ store, key: 'k', leaseMs })
  await vi.advanceTimersByTimeAsync(10 * leaseMs)
  expect(await takeLease({ store, key: 'k', leaseMs })).toBeUndefined()
  expect(lease?.signal.aborted).toBe(false)
  await lease?.release()
  const next = await takeLease({ store, key: 'k', leaseMs })
  expect(next).toBeDefined()
  await lease?.release()
  expect(await store.get('k')).toBeDefined()
  await next?.release()
})

test('a lease that somebody else has taken is lost, and is not given back', async () => {
  const store = createMemoryStore()
  const lease = await takeLease({ store, key: 'k', leaseMs })
  await store.set('k', 'of somebody else')
  await vi.advanceTimersByTimeAsync(leaseMs / 3)
  expect(lease?.signal.reason).toBeInstanceOf(LeaseLost)
  await lease?.release()
  expect(await store.get('k')).toBe('of somebody else')
})

test('a lease is lost before others may take it when the store is silent', async () => {
  const store = createMemoryStore()
  const lease = await takeLease({ store: silentAfterFirst(store), key: 'k', leaseMs })
  await vi.advanceTimersByTimeAsync(leaseMs - 1)
  expect(lease?.signal.reason).toBeInstanceOf(LeaseLost)
  expect(await store.get('k')).toBeDefined()
  await lease?.release()
})

/** Answers to one change, and to no other. */
function silentAfterFirst(store: Store): Store {
  let asked = 0
  return { ...store, swap: (key, change) => (asked++ === 0 ? store.swap(key, change) : new Promise(() => {})) }
}
