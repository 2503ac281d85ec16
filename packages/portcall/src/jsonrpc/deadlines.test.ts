import { expect, test } from 'vitest'
import { createClock } from '../testing/clock.ts'
import { createDeadlines } from './deadlines.ts'

test('what is watched expires in time, or a second later when it has long; what was left does not', async () => {
  const clock = createClock()
  using _installed = clock.install()
  const deadlines = createDeadlines({ hold: true })
  const expired: string[] = []
  const watch = (name: string, ms: number) => deadlines.watch(ms, () => expired.push(`${name} at ${clock.now()}`))
  watch('short', 50)
  watch('long', 60_000)
  watch('short and left', 40).leave()
  watch('long and left', 50_000).leave()
  await clock.advance(10)
  watch('longer', 90_500)
  await clock.advance(100_000)
  expect(expired).toEqual(['short at 50', 'long at 60000', 'longer at 91000'])
  expect(clock.pending).toBe(0)
})

test('one that expires may take others along', async () => {
  const clock = createClock()
  using _installed = clock.install()
  const deadlines = createDeadlines({ hold: false })
  const expired: string[] = []
  const second = { leave: () => {} }
  deadlines.watch(40_000, () => {
    expired.push('first')
    second.leave()
  })
  second.leave = deadlines.watch(60_000, () => expired.push('second')).leave
  await clock.advance(100_000)
  expect(expired).toEqual(['first'])
})
