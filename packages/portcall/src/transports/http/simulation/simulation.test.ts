/**
 * Sessions in processes that die, are cut off and have calendars of their own. `SCHEDULES=10000 npx vitest run` with the path of this file
 * runs as many schedules; `SEED` and `SEED_PATH`, as a failure prints them, run one again, and `JOURNAL` names a file for what happened
 * in it.
 */
import { writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
// Loaded before time stands still: what is loaded late would come between two steps.
import '../../../legacy/asks.ts'
import { createSimClient, type SimClient } from './client.test-kit.ts'
import { installTimers, type Timers } from './timers.test-kit.ts'
import { createWorld, LIMITS, type SimNode, type World } from './world.test-kit.ts'

const { SEED, SEED_PATH, JOURNAL, SCHEDULES = '150' } = process.env
const VERSIONS = ['2025-11-25', '2025-06-18']
const TOOLS = ['say', 'ask', 'add', 'say']
const PAUSES = [1, 20, 200, 1000]

interface Plan {
  readonly numbers: number[]
  /** Nothing dies, nothing is cut off, nothing takes long. */
  readonly calm: boolean
  readonly skews: number[]
  readonly mayRepeat: boolean
  readonly shared: boolean
}

const plans = fc.record<Plan>({
  numbers: fc.array(fc.nat(99_999), { minLength: 20, maxLength: 250, size: 'max' }),
  calm: fc.boolean(),
  skews: fc.array(fc.integer({ min: -10_000, max: 10_000 }), { minLength: 2, maxLength: 3 }),
  mayRepeat: fc.boolean(),
  shared: fc.boolean(),
})

let timers: Timers | undefined
afterEach(() => timers?.restore())

const pick = <T>(all: readonly T[], choice: number): T => all[choice % all.length] as T

/** What a number makes happen. */
async function happen(world: World, clients: readonly SimClient[], { calm, shared }: Plan, number: number): Promise<void> {
  const choice = Math.trunc(number / 100)
  const kind = number % 100
  const node = pick(world.nodes, choice)
  const client = pick(clients, Math.trunc(choice / 3))
  if (kind < 60) return world.step(choice)
  if (kind < 70) {
    if (calm) await world.drain(LIMITS.storeTimeoutMs / 2)
    return world.pass(Math.min(pick(PAUSES, choice), calm ? 200 : Infinity))
  }
  if (client.removed) return
  if (kind < 78) client.call(node, pick(TOOLS, choice), choice % 4)
  else if (kind < 82) client.listen(node)
  else if (kind < 87) client.leave(choice)
  else if (kind < 93) client.resume(choice, node)
  else if (kind < 95) await change(world, client)
  else if (kind === 95 && choice % 4 === 0) client.remove(node)
  else if (kind >= 98 && !calm && shared) await world.crash(choice)
  else if (kind >= 96 && !calm && shared) world.cut(choice)
}

async function change(world: World, { uri }: SimClient): Promise<void> {
  for (const node of world.nodes) await world.at(node, () => node.core.change(uri))
}

async function begin({ numbers, skews, shared, mayRepeat }: Plan): Promise<{ world: World; clients: SimClient[] }> {
  timers = installTimers(numbers[0] ?? 0)
  const world = createWorld({ timers, skews: shared ? skews : skews.slice(0, 1), shared, mayRepeat })
  let turn = 0
  const anywhere = (): SimNode => pick(world.nodes, (turn += numbers[turn] ?? 1))
  const clients = VERSIONS.map((version, at) => createSimClient({ world, name: `c${at}`, version, anywhere }))
  for (const client of clients) client.open(anywhere())
  await world.drain()
  return { world, clients }
}

/** Everything is joined again, and goes on until all calls have come to an end. Gives those that have not. */
async function finish(world: World, clients: readonly SimClient[]): Promise<string[]> {
  world.heal()
  const open = (): string[] => clients.flatMap(({ unfinished }) => unfinished)
  for (let round = 0; round < 100; round++) {
    await world.drain()
    if (open().length === 0) return []
    for (const client of clients) for (let at = 0; at < 10; at++) client.resume(0, pick(world.nodes, round + at))
    await world.drain()
    await world.pass(250)
  }
  return open().map((call) => `${call} hangs`)
}

async function run(world: World, ms: number, stepMs: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += stepMs) {
    await world.pass(stepMs)
    await world.drain()
  }
}

async function hears(world: World, client: SimClient): Promise<boolean> {
  const before = client.standing?.heard.length
  await change(world, client)
  await run(world, 500, 250)
  return client.removed || client.expired || client.standing?.heard.length !== before
}

/** All clients listen again, and hear of a change. Gives who does not. */
async function listen(world: World, clients: readonly SimClient[]): Promise<string[]> {
  const deaf: string[] = []
  for (let tries = 0; tries < 6; tries++) {
    for (const [at, client] of clients.entries()) {
      const node = pick(world.nodes, at + tries)
      if (client.removed) client.remove(node)
      else client.listen(node)
    }
    await run(world, LIMITS.sessionIdleMs / 16, 500)
  }
  for (const client of clients) {
    if (!(await hears(world, client))) await run(world, LIMITS.sessionIdleMs / 2, 500)
    if (!(await hears(world, client))) deaf.push(`${client.uri} is not heard of`)
  }
  return deaf
}

/** One client ends its session, the others only go away. Gives what is left in the processes and the store some time later. */
async function leave(world: World, clients: readonly SimClient[], { shared }: Plan): Promise<string[]> {
  const [first, ...others] = clients.filter(({ removed }) => !removed)
  first?.remove(pick(world.nodes, 0))
  for (const client of others) for (let at = 0; at < 20; at++) client.leave(0)
  await run(world, 2 * LIMITS.sessionIdleMs, 1000)
  const left: string[] = []
  for (const node of world.nodes) {
    const { core, endpoint, number } = node
    const found = [core.running, core.listening, endpoint.streams.size, Math.max(0, timersOf(world, node) - (shared ? 2 : 0))]
    if (found.some(Boolean)) left.push(`${number} has calls, subscriptions, streams, timers: ${found}`)
    await world.at(node, () => void node.legacy.close())
  }
  await world.drain()
  for (const node of world.nodes) if (timersOf(world, node) > 0) left.push(`${node.number} has timers when it is closed`)
  return [...left, ...(await world.store.list('')).map((key) => `${key} is in the store`)]
}

const timersOf = (world: World, node: SimNode): number => world.timers.count(node)

/** What went wrong inside: a store that is away is no fault where that may be. */
function errorsOf({ nodes, strained }: World): string[] {
  const isFault = (error: unknown): boolean => !strained || !(error instanceof Error) || !('code' in error)
  return nodes.flatMap(({ number, errors }) => errors.filter(isFault).map((error) => `${number}: ${error}`))
}

async function live(plan: Plan): Promise<void> {
  const { world, clients } = await begin(plan)
  for (const number of plan.numbers) await happen(world, clients, plan, number)
  const ends = [await finish(world, clients), await listen(world, clients), await leave(world, clients, plan)]
  const faults = [...ends.flat(), ...errorsOf(world), ...clients.flatMap((client) => client.faults)]
  if (faults.length > 0 && JOURNAL) writeFileSync(JOURNAL, world.journal.map((line) => line()).join('\n'))
  expect(faults).toEqual([])
  world.timers.restore()
}

describe('sessions in processes that die', () => {
  it(`tell each client all that is its own, once and in order, whatever dies when (${SCHEDULES} schedules)`, {
    timeout: 3_600_000,
  }, async () => {
    await fc.assert(fc.asyncProperty(plans, live), {
      numRuns: Number(SCHEDULES),
      endOnFailure: true,
      ...(SEED && { seed: Number(SEED) }),
      ...(SEED_PATH && { path: SEED_PATH }),
    })
  })
})
