import { expect, test, vi } from 'vitest'
import { LeaseLostError } from '../stores/lease.ts'
import { createMemoryStore } from '../stores/memory/store.ts'
import { type HeldLock, withStoreLock } from './store-lock.ts'

const NEVER = new AbortController().signal
const tick = () => new Promise((resolve) => setTimeout(resolve, 5))

test('runs one task at a time, and deletes the lock afterwards', async () => {
  const store = createMemoryStore()
  let running = 0
  let maxRunning = 0
  const run = async () => {
    maxRunning = Math.max(maxRunning, ++running)
    await tick()
    running--
    if (maxRunning === 99) throw new Error('never')
  }
  await Promise.all(Array.from({ length: 5 }, () => withStoreLock({ store, key: 'k', signal: NEVER }, run)))
  expect([maxRunning, await store.get('k')]).toEqual([1, undefined])
  await expect(withStoreLock({ store, key: 'k', signal: NEVER }, () => Promise.reject(new Error('x')))).rejects.toThrow('x')
  expect(await store.get('k')).toBeUndefined()
})

test('renews the lock while the task runs, and takes over the expired lock of a crashed process', async () => {
  vi.useFakeTimers()
  try {
    const store = createMemoryStore()
    let finish = (): void => {}
    const first = withStoreLock({ store, key: 'k', signal: NEVER }, () => new Promise<void>((resolve) => (finish = resolve)))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await store.get('k')).toBeDefined()
    const waiting = vi.fn(async () => {})
    const second = withStoreLock({ store, key: 'k', signal: NEVER }, waiting)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(waiting).not.toHaveBeenCalled()
    finish()
    await vi.advanceTimersByTimeAsync(1000)
    await Promise.all([first, second])
    await store.set('k', 'of a crashed process', { ttlMs: 15_000 })
    const third = withStoreLock({ store, key: 'k', signal: NEVER }, waiting)
    await vi.advanceTimersByTimeAsync(16_000)
    await third
    expect(waiting).toHaveBeenCalledTimes(2)
  } finally {
    vi.useRealTimers()
  }
})

test('stops waiting when the signal is aborted', async () => {
  const store = createMemoryStore()
  await store.set('k', 'x')
  const controller = new AbortController()
  const waiting = withStoreLock({ store, key: 'k', signal: controller.signal }, async () => {})
  controller.abort('enough')
  await expect(waiting).rejects.toBe('enough')
})

test('aborts the signal of the task when the lock is lost, or when the caller aborts', async () => {
  vi.useFakeTimers()
  try {
    const store = createMemoryStore()
    const waitForAbort = ({ signal }: HeldLock) =>
      new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const first = withStoreLock({ store, key: 'k', signal: NEVER }, waitForAbort)
    const outcome = expect(first).rejects.toThrow(LeaseLostError)
    await vi.advanceTimersByTimeAsync(1000)
    await store.set('k', 'of another process')
    await vi.advanceTimersByTimeAsync(6000)
    await outcome
    expect(await store.get('k')).toBe('of another process')

    const controller = new AbortController()
    const second = withStoreLock({ store, key: 'other', signal: controller.signal }, waitForAbort)
    await vi.advanceTimersByTimeAsync(0)
    controller.abort('enough')
    await expect(second).rejects.toBe('enough')
  } finally {
    vi.useRealTimers()
  }
})

test('a process that was paused keeps a lock that nobody has taken, unless what it protects has changed', async () => {
  vi.useFakeTimers()
  try {
    const store = createMemoryStore()
    const readState = () => store.get('tokens')
    const run = (change: () => Promise<void>) =>
      withStoreLock({ store, key: 'k', signal: NEVER, readState }, async ({ write }) => {
        await write(() => store.set('tokens', 'own'))
        await store.delete('k')
        await change()
        vi.setSystemTime(Date.now() + 60_000)
        await write(() => store.set('tokens', 'later'))
      })
    await run(async () => {})
    expect(await store.get('tokens')).toBe('later')
    await expect(run(() => store.set('tokens', 'of another process'))).rejects.toThrow(LeaseLostError)
    expect(await store.get('tokens')).toBe('of another process')
    const taken = expect(run(() => store.set('k', 'another process'))).rejects.toThrow(LeaseLostError)
    await taken
    expect(await store.get('k')).toBe('another process')
  } finally {
    vi.useRealTimers()
  }
})
