/**
 * Sessions on nodes that crash, are partitioned and have different wall clocks. `SCHEDULES=10000 npm run properties -- http/simulation` runs
 * that many schedules. `SEED` and `SEED_PATH`, as printed by a failure, repeat one schedule, and `JOURNAL` names a file for its journal.
 */
import { writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
// Loaded before the timers are replaced: a dynamic import would complete between two steps.
import '../../legacy/server/input-requests.ts'
import { createSimClient, type SimClient } from '../../../test-kit/simulation/client.ts'
import { installTimers, type Timers } from '../../../test-kit/simulation/timers.ts'
import { createWorld, LIMITS, type SimNode, type World } from '../../../test-kit/simulation/world.ts'

const { SEED, SEED_PATH, JOURNAL, SCHEDULES = '150' } = process.env
const VERSIONS = ['2025-11-25', '2025-06-18']
const TOOLS = ['say', 'ask', 'add', 'say']
const PAUSES = [1, 20, 200, 1000]

interface Plan {
  readonly numbers: number[]
  /** No crashes, no partitions, no slow stores. */
  readonly calm: boolean
  readonly skews: number[]
  readonly isIdempotent: boolean
  readonly shared: boolean
}

const plans = fc.record<Plan>({
  numbers: fc.array(fc.nat(99_999), { minLength: 20, maxLength: 250, size: 'max' }),
  calm: fc.boolean(),
  skews: fc.array(fc.integer({ min: -10_000, max: 10_000 }), { minLength: 2, maxLength: 3 }),
  isIdempotent: fc.boolean(),
  shared: fc.boolean(),
})

let timers: Timers | undefined
afterEach(() => timers?.restore())

const pick = <T>(all: readonly T[], choice: number): T => all[choice % all.length] as T

/** Runs the action that a number encodes. */
async function act(world: World, clients: readonly SimClient[], { calm, shared }: Plan, number: number): Promise<void> {
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
  else if (kind < 87) client.disconnect(choice)
  else if (kind < 93) client.resume(choice, node)
  else if (kind < 95) await change(world, client)
  else if (kind === 95 && choice % 4 === 0) client.remove(node)
  else if (kind >= 98 && !calm && shared) await world.crash(choice)
  else if (kind >= 96 && !calm && shared) world.partition(choice)
}

async function change(world: World, { uri }: SimClient): Promise<void> {
  for (const node of world.nodes) await world.at(node, () => node.core.change(uri))
}

async function setUp({ numbers, skews, shared, isIdempotent }: Plan): Promise<{ world: World; clients: SimClient[] }> {
  timers = installTimers(numbers[0] ?? 0)
  const world = createWorld({ timers, skews: shared ? skews : skews.slice(0, 1), shared, isIdempotent })
  let turn = 0
  const anyNode = (): SimNode => pick(world.nodes, (turn += numbers[turn] ?? 1))
  const clients = VERSIONS.map((version, at) => createSimClient({ world, name: `c${at}`, version, anyNode }))
  for (const client of clients) client.open(anyNode())
  await world.drain()
  return { world, clients }
}

/** Reconnects all nodes and continues until all calls have finished. Returns those that have not. */
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
  return open().map((call) => `${call} never finishes`)
}

async function run(world: World, ms: number, stepMs: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += stepMs) {
    await world.pass(stepMs)
    await world.drain()
  }
}

async function receivesChanges(world: World, client: SimClient): Promise<boolean> {
  const before = client.standalone?.changes.length
  await change(world, client)
  await run(world, 500, 250)
  return client.removed || client.expired || client.standalone?.changes.length !== before
}

/** Opens the standalone streams of all clients, and changes a resource. Returns the clients that are not notified. */
async function listen(world: World, clients: readonly SimClient[]): Promise<string[]> {
  const faults: string[] = []
  for (let tries = 0; tries < 6; tries++) {
    for (const [at, client] of clients.entries()) {
      const node = pick(world.nodes, at + tries)
      if (client.removed) client.remove(node)
      else client.listen(node)
    }
    await run(world, LIMITS.sessionIdleTimeoutMs / 16, 500)
  }
  for (const client of clients) {
    if (!(await receivesChanges(world, client))) await run(world, LIMITS.sessionIdleTimeoutMs / 2, 500)
    if (!(await receivesChanges(world, client))) faults.push(`no notification about ${client.uri}`)
  }
  return faults
}

/** One client ends its session, the others only disconnect. Returns what is left on the nodes and in the store after the sessions expired. */
async function disconnectAll(world: World, clients: readonly SimClient[], { shared }: Plan): Promise<string[]> {
  const [first, ...others] = clients.filter(({ removed }) => !removed)
  first?.remove(pick(world.nodes, 0))
  for (const client of others) for (let at = 0; at < 20; at++) client.disconnect(0)
  await run(world, 2 * LIMITS.sessionIdleTimeoutMs, 1000)
  const left: string[] = []
  for (const node of world.nodes) {
    const { core, endpoint, number } = node
    const counts = [core.running, core.listening, endpoint.streams.size, Math.max(0, timersOf(world, node) - (shared ? 2 : 0))]
    if (counts.some(Boolean)) left.push(`${number} has calls, subscriptions, streams, timers: ${counts}`)
    await world.at(node, () => void node.legacy.close())
  }
  await world.drain()
  for (const node of world.nodes) if (timersOf(world, node) > 0) left.push(`${node.number} has timers after close`)
  return [...left, ...(await world.store.list('')).map((key) => `${key} is in the store`)]
}

const timersOf = (world: World, node: SimNode): number => world.timers.count(node)

/** Returns the internal errors. Errors of stores are allowed if the world is strained. */
function errorsOf({ nodes, strained }: World): string[] {
  const isFault = (error: unknown): boolean => !strained || !(error instanceof Error) || !('code' in error)
  return nodes.flatMap(({ number, errors }) => errors.filter(isFault).map((error) => `${number}: ${error}`))
}

async function runPlan(plan: Plan): Promise<void> {
  const { world, clients } = await setUp(plan)
  for (const number of plan.numbers) await act(world, clients, plan, number)
  const ends = [await finish(world, clients), await listen(world, clients), await disconnectAll(world, clients, plan)]
  const faults = [...ends.flat(), ...errorsOf(world), ...clients.flatMap((client) => client.faults)]
  if (faults.length > 0 && JOURNAL) writeFileSync(JOURNAL, world.journal.map((line) => line()).join('\n'))
  expect(faults).toEqual([])
  world.timers.restore()
}

describe('sessions on nodes that crash', () => {
  it(`deliver to each client all its messages, once and in order, whatever crashes (${SCHEDULES} schedules)`, {
    timeout: 3_600_000,
  }, async () => {
    await fc.assert(fc.asyncProperty(plans, runPlan), {
      numRuns: Number(SCHEDULES),
      endOnFailure: true,
      ...(SEED && { seed: Number(SEED) }),
      ...(SEED_PATH && { path: SEED_PATH }),
    })
  })
})
