import { expect, test } from 'vitest'
import { createFakeClock } from '../../portcall/src/testing/fake-clock.ts'
import { createCoarseTimers } from './coarse-timers.ts'

test('short timers fire on time, long ones up to a second late, cancelled ones never', async () => {
  const clock = createFakeClock()
  using _installed = clock.install()
  const timers = createCoarseTimers({ keepAlive: true })
  const fired: string[] = []
  const schedule = (name: string, ms: number) => timers.schedule(ms, () => fired.push(`${name} at ${clock.now()}`))
  schedule('short', 50)
  schedule('long', 60_000)
  schedule('short, cancelled', 40).cancel()
  schedule('long, cancelled', 50_000).cancel()
  await clock.advance(10)
  schedule('longer', 90_500)
  await clock.advance(100_000)
  expect(fired).toEqual(['short at 50', 'long at 60000', 'longer at 91000'])
  expect(clock.pending).toBe(0)
})

test.each([60_000, 40_500])('a timer that fires may cancel another one that is due after %s ms', async (ms) => {
  const clock = createFakeClock()
  using _installed = clock.install()
  const timers = createCoarseTimers({ keepAlive: false })
  const fired: string[] = []
  const second = { cancel: () => {} }
  timers.schedule(40_100, () => {
    fired.push('first')
    second.cancel()
  })
  second.cancel = timers.schedule(ms, () => fired.push('second')).cancel
  await clock.advance(100_000)
  expect(fired).toEqual(['first'])
})
