import { describe, expect, test } from 'vitest'
import { createFakeClock } from '../../portcall/src/testing/fake-clock.ts'
import { delay, interruptibleDelay, raceAbort, withTimeout } from './timers.ts'

test('a delay ends after its time or with the reason of the first aborted signal', async () => {
  const first = new AbortController()
  const second = new AbortController()
  await delay(1, undefined, first.signal, second.signal)
  const pending = delay(10_000, first.signal, second.signal)
  second.abort('enough')
  await expect(pending).rejects.toBe('enough')
  await expect(delay(10_000, second.signal)).rejects.toBe('enough')
})

test('an interruptible delay resolves after its time, or as soon as the signal is aborted', async () => {
  const clock = createFakeClock()
  using _installed = clock.install()
  const controller = new AbortController()
  const delays = [interruptibleDelay(100, controller.signal), interruptibleDelay(10_000, controller.signal)]
  await clock.advance(100)
  await delays[0]
  controller.abort()
  await delays[1]
  await interruptibleDelay(10_000, controller.signal)
  expect(clock.pending).toBe(0)
})

test('raceAbort settles with the promise unless the source is aborted first', async () => {
  const controller = new AbortController()
  const never = new Promise<never>(() => {})
  expect(await raceAbort(Promise.resolve(1), undefined)).toBe(1)
  expect(await raceAbort(Promise.resolve(1), controller)).toBe(1)
  await expect(raceAbort(Promise.reject('failed'), controller.signal)).rejects.toBe('failed')
  const pending = raceAbort(never, controller.signal)
  controller.abort('enough')
  await expect(pending).rejects.toBe('enough')
  await expect(raceAbort(never, controller)).rejects.toBe('enough')
})

describe('withTimeout', () => {
  const onTimeout = (): Error => new Error('too slow')

  test('rejects once the time is over', async () => {
    const clock = createFakeClock()
    using _installed = clock.install()
    const pending = withTimeout(new Promise(() => {}), 1000, onTimeout)
    const rejection = expect(pending).rejects.toThrow('too slow')
    await clock.advance(1100)
    await rejection
    expect(clock.pending).toBe(0)
  })

  test('settles with the promise, without a limit and within it', async () => {
    expect(await withTimeout(Promise.resolve(1), Infinity, onTimeout)).toBe(1)
    expect(await withTimeout(Promise.resolve(1), 1000, onTimeout)).toBe(1)
    await expect(withTimeout(Promise.reject(new Error('failed')), 1000, onTimeout)).rejects.toThrow('failed')
  })
})
