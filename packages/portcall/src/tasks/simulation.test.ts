/**
 * Random schedules of tasks in processes that fail at any point. `npm run properties` runs a few. To run more, or to repeat a schedule that failed:
 *
 * SCHEDULES=10000 SEED=… npm run properties -- tasks/simulation
 */
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createWorld, LIMITS, type World } from '../../test-kit/tasks/simulation.ts'
import { isTerminalStatus } from './types.ts'

const SCHEDULES = Number(process.env.SCHEDULES ?? 100)

afterEach(() => {
  vi.useRealTimers()
})

/** Installs fake timers, and discards those of the previous schedule. */
function resetTimers(): void {
  vi.useRealTimers()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance', 'Date'] })
}

/** Performs the action that a number stands for: mostly, an operation continues; sometimes, time passes, a client polls or a process fails. */
async function act(world: World, number: number): Promise<void> {
  const choice = Math.trunc(number / 100)
  const kind = number % 100
  if (kind < 74) return world.step(choice)
  if (kind < 84) return world.advance([20, 200, 1000, LIMITS.leaseTtlMs][choice % 4] as number)
  if (kind < 93) return world.poll(choice)
  if (kind < 99) return world.crash(choice)
  if (choice % 4 === 0) world.cancel(choice)
}

describe('tasks in several processes that fail', () => {
  it(`ends each task once, with the results of its steps, whichever process fails when (${SCHEDULES} schedules)`, {
    timeout: 3_600_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(9999), { minLength: 20, maxLength: 200, size: 'max' }), async (numbers) => {
        resetTimers()
        const world = await createWorld(2)
        for (const number of numbers) await act(world, number)
        await expectAllEnded(world)
      }),
      { numRuns: SCHEDULES, endOnFailure: true, ...(process.env.SEED && { seed: Number(process.env.SEED) }) },
    )
  })

  it('ends a task when all processes fail at once, between any two operations on the store', { timeout: 120_000 }, async () => {
    let crashPoints = 0
    for (let isOver = false; !isOver; crashPoints++) {
      resetTimers()
      const world = await createWorld(1)
      for (let at = 0; at < crashPoints && !isOver; at++) isOver = await continueOnce(world)
      for (const process of [0, 1]) await world.crash(process)
      await expectAllEnded(world)
    }
    expect(crashPoints).toBeGreaterThan(50)
  })
})

/** Continues one operation, after causing one if there is none. Returns whether the task has ended and no operation is pending. */
async function continueOnce(world: World): Promise<boolean> {
  for (let idleRounds = 0; world.gates.length === 0; idleRounds++) {
    if (idleRounds > 3) return true
    world.poll(0)
    await world.advance(20)
  }
  await world.step(0)
  return world.records().every(({ status }) => isTerminalStatus(status)) && world.gates.length === 0
}

/** Expects that all tasks end without a failure, and that nothing of them remains in the store after their TTL. */
async function expectAllEnded(world: World): Promise<void> {
  const records = await world.finish()
  expect(world.faults).toEqual([])
  const failed = records.map(({ status }) => status).filter((status) => status !== 'completed' && status !== 'cancelled')
  expect(failed).toEqual([])
  vi.setSystemTime(Date.now() + LIMITS.ttlMs + 2 * LIMITS.maxClockSkewMs)
  expect(await world.store.list('')).toEqual([])
}
