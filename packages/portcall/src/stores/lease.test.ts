import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { LeaseLostError, takeLease } from './lease.ts'
import { createMemoryStore } from './memory/store.ts'
import type { KeyValueStore } from './store.ts'

const leaseTtlMs = 6000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a lease has one owner until it is released', async () => {
  const store = createMemoryStore()
  const lease = await takeLease({ store, key: 'k', leaseTtlMs })
  await vi.advanceTimersByTimeAsync(10 * leaseTtlMs)
  expect(await takeLease({ store, key: 'k', leaseTtlMs })).toBeUndefined()
  expect(lease?.signal.aborted).toBe(false)
  await lease?.release()
  const next = await takeLease({ store, key: 'k', leaseTtlMs })
  expect(next).toBeDefined()
  await lease?.release()
  expect(await store.get('k')).toBeDefined()
  await next?.release()
})

test('a lease that another process has taken is lost, and is not released', async () => {
  const store = createMemoryStore()
  const lease = await takeLease({ store, key: 'k', leaseTtlMs })
  await store.set('k', 'another owner')
  await vi.advanceTimersByTimeAsync(leaseTtlMs / 3)
  expect(lease?.signal.reason).toBeInstanceOf(LeaseLostError)
  await lease?.release()
  expect(await store.get('k')).toBe('another owner')
})

test('if the store does not respond, the lease is lost before others can take it', async () => {
  const store = createMemoryStore()
  const lease = await takeLease({ store: hangAfterFirst(store), key: 'k', leaseTtlMs })
  await vi.advanceTimersByTimeAsync(leaseTtlMs - 1)
  expect(lease?.signal.reason).toBeInstanceOf(LeaseLostError)
  expect(await store.get('k')).toBeDefined()
  await lease?.release()
})

/** Completes the first `compareAndSet` and no other. */
function hangAfterFirst(store: KeyValueStore): KeyValueStore {
  let calls = 0
  return { ...store, compareAndSet: (key, change) => (calls++ === 0 ? store.compareAndSet(key, change) : new Promise(() => {})) }
}
