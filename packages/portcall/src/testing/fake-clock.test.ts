import { expect, test } from 'vitest'
import { createDeadlines } from '../client/deadlines.ts'
import { createMemoryStore } from '../stores/memory/store.ts'
import { createFakeClock } from './fake-clock.ts'

test('timers run in order when they become due', async () => {
  const clock = createFakeClock({ now: 1000 })
  const ran: string[] = []
  const record = (name: string): void => void ran.push(`${name} at ${clock.now()}`)
  clock.setTimeout(record, 20, 'second')
  clock.setTimeout(record, 10, 'first')
  clock.setTimeout(record, 20, 'third')
  const never = clock.setTimeout(record, 15, 'never')
  clock.clearTimeout(never)
  clock.clearTimeout(undefined)
  await clock.advance(9)
  expect(ran).toEqual([])
  await clock.advance(100)
  expect(ran).toEqual(['first at 1010', 'second at 1020', 'third at 1020'])
  expect([clock.now(), clock.pending]).toEqual([1109, 0])
})

test('timers that promises set are run by the same advance', async () => {
  const clock = createFakeClock()
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

test('intervals repeat until cleared; a timer can be refreshed', async () => {
  const clock = createFakeClock()
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

test('install replaces the real clock until it is restored', async () => {
  const before = [setTimeout, setInterval, clearTimeout, clearInterval, Date.now, performance.now]
  const clock = createFakeClock({ now: 5000 })
  {
    using _installed = clock.install()
    expect([Date.now(), performance.now()]).toEqual([5000, 5000])
    const deadline = createDeadlines().start('tools/call', { requestTimeoutMs: 20_000, totalTimeoutMs: 600_000 })
    await clock.advance(19_999)
    expect(deadline.signal.aborted).toBe(false)
    await clock.advance(1)
    expect(deadline.signal.reason).toMatchObject({ code: 'TIMEOUT' })
    deadline.clear()
  }
  expect([setTimeout, setInterval, clearTimeout, clearInterval, Date.now, performance.now]).toEqual(before)
  expect(Date.now()).toBeGreaterThan(1e12)
})

test('now can be passed to a store', async () => {
  const clock = createFakeClock()
  const store = createMemoryStore({ now: clock.now })
  await store.set('key', 'x', { ttlMs: 100 })
  await clock.advance(99)
  expect(await store.get('key')).toBe('x')
  await clock.advance(1)
  expect(await store.get('key')).toBeUndefined()
})
