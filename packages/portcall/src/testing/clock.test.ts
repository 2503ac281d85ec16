import { expect, test } from 'vitest'
import { createClocks } from '../client/deadline.ts'
import { createMemoryStore } from '../stores/memory-store.ts'
import { createClock } from './clock.ts'

test('timers run in order, when their time has come', async () => {
  const clock = createClock({ now: 1000 })
  const ran: string[] = []
  const note = (name: string): void => void ran.push(`${name} at ${clock.now()}`)
  clock.setTimeout(note, 20, 'second')
  clock.setTimeout(note, 10, 'first')
  clock.setTimeout(note, 20, 'third')
  const never = clock.setTimeout(note, 15, 'never')
  clock.clearTimeout(never)
  clock.clearTimeout(undefined)
  await clock.advance(9)
  expect(ran).toEqual([])
  await clock.advance(100)
  expect(ran).toEqual(['first at 1010', 'second at 1020', 'third at 1020'])
  expect([clock.now(), clock.pending]).toEqual([1109, 0])
})

test('what timers and promises set in motion runs in the same stretch of time', async () => {
  const clock = createClock()
  const ran: number[] = []
  const sleep = (ms: number): Promise<void> => new Promise((resolve) => void clock.setTimeout(resolve, ms))
  const work = async (): Promise<void> => {
    for (let round = 0; round < 3; round++) {
      await sleep(10)
      ran.push(clock.now())
    }
  }
  void work()
  await clock.advance(30)
  expect(ran).toEqual([10, 20, 30])
})

test('intervals repeat until they are cleared; a timer can be wound up again', async () => {
  const clock = createClock()
  let ticks = 0
  const interval = clock.setInterval(() => ticks++, 10)
  const timer = clock.setTimeout(() => (ticks += 100), 25)
  expect(timer.unref().hasRef()).toBe(false)
  expect(timer.ref().hasRef()).toBe(true)
  await clock.advance(20)
  timer.refresh()
  await clock.advance(20)
  clock.clearInterval(interval)
  await clock.advance(100)
  expect(ticks).toBe(104)
})

test('it stands in for the real clock until it is taken away', async () => {
  const before = [setTimeout, setInterval, clearTimeout, clearInterval, Date.now, performance.now]
  const clock = createClock({ now: 5000 })
  {
    using _installed = clock.install()
    expect([Date.now(), performance.now()]).toEqual([5000, 5000])
    const deadline = createClocks().start('tools/call', { requestMs: 20_000, totalMs: 600_000 })
    await clock.advance(19_999)
    expect(deadline.signal.aborted).toBe(false)
    await clock.advance(1)
    expect(deadline.signal.reason).toMatchObject({ code: 'TIMEOUT' })
    deadline.clear()
  }
  expect([setTimeout, setInterval, clearTimeout, clearInterval, Date.now, performance.now]).toEqual(before)
  expect(Date.now()).toBeGreaterThan(1e12)
})

test('it is passed where the library takes a clock', async () => {
  const clock = createClock()
  const store = createMemoryStore({ now: clock.now })
  await store.set('key', 'x', { ttlMs: 100 })
  await clock.advance(99)
  expect(await store.get('key')).toBe('x')
  await clock.advance(1)
  expect(await store.get('key')).toBeUndefined()
})
