/**
 * Schedules of tasks in processes that die, whatever was under way. `npm test` runs a few; for more, and for one that failed again:
 *
 * SCHEDULES=10000 SEED=… npx vitest run packages/portcall/src/tasks/simulation.test.ts
 */
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createWorld, LIMITS, type World } from './simulation.test-kit.ts'
import { isFinal } from './types.ts'

const SCHEDULES = Number(process.env.SCHEDULES ?? 100)

afterEach(() => {
  vi.useRealTimers()
})

/** Stops the clocks; those of the schedule before are forgotten, with all that waited for them. */
function stopClocks(): void {
  vi.useRealTimers()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance', 'Date'] })
}

/** What a number makes happen: mostly an operation goes on; now and then time passes, a client looks, a process dies. */
async function happen(world: World, number: number): Promise<void> {
  const choice = Math.trunc(number / 100)
  const kind = number % 100
  if (kind < 74) return world.step(choice)
  if (kind < 84) return world.pass([20, 200, 1000, LIMITS.leaseMs][choice % 4] as number)
  if (kind < 93) return world.visit(choice)
  if (kind < 99) return world.crash(choice)
  if (choice % 4 === 0) world.cancel(choice)
}

describe('tasks in several processes that die', () => {
  it(`ends each task once, with what its steps gave, whatever dies when (${SCHEDULES} schedules)`, {
    timeout: 3_600_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(9999), { minLength: 20, maxLength: 200, size: 'max' }), async (numbers) => {
        stopClocks()
        const world = await createWorld(2)
        for (const number of numbers) await happen(world, number)
        await end(world)
      }),
      { numRuns: SCHEDULES, endOnFailure: true, ...(process.env.SEED && { seed: Number(process.env.SEED) }) },
    )
  })

  it('ends a task when all processes die at once, between any two operations on the store', { timeout: 120_000 }, async () => {
    const deaths = []
    for (let over = false; !over; deaths.push(over)) {
      stopClocks()
      const world = await createWorld(1)
      for (let at = 0; at < deaths.length && !over; at++) over = await goOn(world)
      for (const process of [0, 1]) await world.crash(process)
      await end(world)
    }
    expect(deaths.length).toBeGreaterThan(50)
  })
})

/** Lets one operation happen, or whatever makes one. Tells whether the task has ended and nothing is under way. */
async function goOn(world: World): Promise<boolean> {
  for (let idle = 0; world.gates.length === 0; idle++) {
    if (idle > 3) return true
    world.visit(0)
    await world.pass(20)
  }
  await world.step(0)
  return world.records().every(({ status }) => isFinal(status)) && world.gates.length === 0
}

/** All tasks come to a good end, and nothing is left of them when their time is over. */
async function end(world: World): Promise<void> {
  const records = await world.finish()
  expect(world.faults).toEqual([])
  const others = records.map(({ status }) => status).filter((status) => status !== 'completed' && status !== 'cancelled')
  expect(others).toEqual([])
  vi.setSystemTime(Date.now() + LIMITS.ttlMs + 2 * LIMITS.maxSkewMs)
  expect(await world.store.list('')).toEqual([])
}
