import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { StoreUnavailableError } from './errors.ts'
import { createFutureLeases, type FutureLeases } from './future-leases.ts'
import { LeaseLostError, takeLease } from './lease.ts'
import { createMemoryStore } from './memory/store.ts'
import type { CompareAndSet, KeyValueStore } from './store.ts'

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

describe('a lease whose work may continue', () => {
  test('is acquired again after it has expired, if nobody has taken it: its work goes on', async () => {
    const store = createMemoryStore()
    const mayContinue = vi.fn(async () => true)
    const lease = await takeLease({ store, key: 'k', leaseTtlMs, mayContinue })
    await store.delete('k')
    await vi.advanceTimersByTimeAsync(10 * leaseTtlMs)
    await lease?.whenHeld()
    expect(lease?.signal.aborted).toBe(false)
    expect(mayContinue).toHaveBeenCalledTimes(1)
    expect(await takeLease({ store, key: 'k', leaseTtlMs })).toBeUndefined()
    await lease?.release()
    expect(await store.get('k')).toBeUndefined()
  })

  test('is lost, and free, if somebody has held it in between; the error names the cause', async () => {
    const store = createMemoryStore()
    const causeOfLoss = () => 'the cause'
    const lease = await takeLease({ store, key: 'k', leaseTtlMs, mayContinue: async () => false, causeOfLoss })
    await store.delete('k')
    await vi.advanceTimersByTimeAsync(leaseTtlMs)
    expect(lease?.signal.reason).toEqual(new LeaseLostError('the cause'))
    await expect(lease?.whenHeld()).rejects.toThrow(LeaseLostError)
    expect(await store.get('k')).toBeUndefined()
  })

  test('is in doubt while the store is unavailable, and is held again when it is back', async () => {
    const memory = createMemoryStore()
    let isAvailable = true
    const store = {
      ...memory,
      compareAndSet: async (key: string, change: CompareAndSet) => {
        if (!isAvailable) throw new StoreUnavailableError('unavailable')
        return memory.compareAndSet(key, change)
      },
    }
    const lease = await takeLease({ store, key: 'k', leaseTtlMs, mayContinue: async () => true })
    isAvailable = false
    await vi.advanceTimersByTimeAsync(10 * leaseTtlMs)
    let isHeld = false
    const held = lease?.whenHeld().then(() => void (isHeld = true))
    await vi.advanceTimersByTimeAsync(leaseTtlMs)
    expect([isHeld, lease?.signal.aborted]).toEqual([false, false])
    isAvailable = true
    await vi.advanceTimersByTimeAsync(leaseTtlMs)
    await held
    expect(isHeld).toBe(true)
    await lease?.release()
  })
})

test('a lease that was acquired before a clock was set back counts as expired', async () => {
  const store = createMemoryStore({ now: () => 0 })
  vi.setSystemTime(Date.now() + 3_600_000)
  const failing = hangAfterFirst(store)
  await takeLease({ store: failing, key: 'k', leaseTtlMs })
  vi.setSystemTime(Date.now() - 3_600_000)
  const [lenient, strict] = [createFutureLeases(3_700_000), createFutureLeases(600_000)]
  const take = (futureLeases: FutureLeases) => takeLease({ store, key: 'k', leaseTtlMs, futureLeases })
  expect([await take(lenient), await take(strict)]).toEqual([undefined, undefined])
  await vi.advanceTimersByTimeAsync(leaseTtlMs)
  expect(await take(lenient)).toBeUndefined()
  expect(await take(strict)).toBeDefined()
})

test('a lease of a process whose clock is ahead is its own as long as it renews it', async () => {
  const store = createMemoryStore({ now: () => 0 })
  const futureLeases = createFutureLeases(600_000)
  const now = Date.now()
  vi.setSystemTime(now + 3_600_000)
  const ahead = await takeLease({ store, key: 'k', leaseTtlMs, mayContinue: async () => true })
  for (let step = 0; step < 12; step++) {
    await vi.advanceTimersByTimeAsync(leaseTtlMs / 3)
    vi.setSystemTime(Date.now() - 3_600_000)
    expect(await takeLease({ store, key: 'k', leaseTtlMs, futureLeases })).toBeUndefined()
    vi.setSystemTime(Date.now() + 3_600_000)
  }
  await ahead?.release()
  expect(await store.get('k')).toBeUndefined()
})

test('a renewal whose answer is lost is not the loss of the lease', async () => {
  const memory = createMemoryStore()
  let isLost = false
  const store = {
    ...memory,
    async compareAndSet(key: string, change: CompareAndSet) {
      const isDone = await memory.compareAndSet(key, change)
      if (isLost) throw new StoreUnavailableError('the answer was lost')
      return isDone
    },
  }
  const lease = await takeLease({ store, key: 'k', leaseTtlMs, mayContinue: async () => false })
  for (let step = 0; step < 10; step++) {
    isLost = step % 2 === 0
    await vi.advanceTimersByTimeAsync(leaseTtlMs / 2)
  }
  expect(lease?.signal.aborted).toBe(false)
  isLost = false
  await lease?.release()
  expect(await memory.get('k')).toBeUndefined()
})

/** Completes the first `compareAndSet` and no other. */
function hangAfterFirst(store: KeyValueStore): KeyValueStore {
  let calls = 0
  return { ...store, compareAndSet: (key, change) => (calls++ === 0 ? store.compareAndSet(key, change) : new Promise(() => {})) }
}
