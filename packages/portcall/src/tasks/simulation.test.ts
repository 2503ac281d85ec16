import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createWorld, LIMITS, type World } from './simulation.test-kit.ts'

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
        const records = await world.finish()
        expect(world.faults).toEqual([])
        expect(records.map(({ status }) => status).filter((status) => status !== 'completed' && status !== 'cancelled')).toEqual(
          [],
        )
        vi.setSystemTime(Date.now() + LIMITS.ttlMs + 2 * LIMITS.maxSkewMs)
        expect(await world.store.list('')).toEqual([])
      }),
      { numRuns: SCHEDULES, endOnFailure: true, ...(process.env.SEED && { seed: Number(process.env.SEED) }) },
    )
  })
})
