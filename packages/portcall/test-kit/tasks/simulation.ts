/**
 * Simulates several processes that work on the same tasks. Every operation on the store waits at a gate before it is executed and before its
 * result is returned. The test decides which gate opens next, when time passes, and when a process fails with all its pending operations.
 */
import { vi } from 'vitest'
import * as z from 'zod'
import type { JsonObject } from '../../src/jsonrpc/message.ts'
import { TASKS_EXTENSION } from '../../src/protocol/tasks.ts'
import { createServer } from '../../src/server/server.ts'
import type { Bus } from '../../src/stores/bus.ts'
import { memoryStores } from '../../src/stores/memory/memory.ts'
import type { KeyValueStore } from '../../src/stores/store.ts'
import { tasks } from '../../src/tasks/server/extension.ts'
import type { TaskRecord } from '../../src/tasks/store/record.ts'
import { isTerminalStatus } from '../../src/tasks/types.ts'
import { type Caller, callerOf } from '../server.ts'

export const LIMITS = {
  leaseTtlMs: 3000,
  statusMessageIntervalMs: 100,
  maxAttempts: 10_000,
  ttlMs: 3_600_000,
  maxClockSkewMs: 1000,
  sweepIntervalMs: 5000,
  storeTimeoutMs: Infinity,
  concurrency: 2,
}

interface Process {
  isAlive: boolean
  readonly caller: Caller
  /** Removes its timers. */
  cleanUp(): void
}

interface Gate {
  readonly process: Process
  open(): void
}

/** The history of a task, as observed in its record. */
interface History {
  last?: TaskRecord
  readonly faults: string[]
}

export interface World {
  readonly faults: string[]
  readonly store: KeyValueStore
  /** How often each effect ran. */
  readonly effects: Map<string, number>
  readonly gates: Gate[]
  /** Returns the latest records of all tasks. */
  records(): TaskRecord[]
  /** Opens one gate. */
  step(choice: number): Promise<void>
  advance(ms: number): Promise<void>
  /** Stops a process without warning, and starts another one. */
  crash(choice: number): Promise<void>
  /** Reads a task through some process, and answers its input requests. */
  poll(choice: number): void
  cancel(choice: number): void
  /** Continues until all tasks have ended. Resolves to their records. */
  finish(): Promise<TaskRecord[]>
}

const Name = z.object({ name: z.string() })

/** Resolves when everything has run that waits neither for a gate nor for a timer. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export async function createWorld(count: number): Promise<World> {
  const { store, bus } = memoryStores()
  const gates: Gate[] = []
  const effects = new Map<string, number>()
  const histories = new Map<string, History>()
  const ids: string[] = []
  const faults: string[] = []
  const acknowledged = new Set<string>()

  const observe = (key: string, value: string | undefined): void => {
    if (!key.startsWith('tasks/record/') || value === undefined) return
    const history = histories.get(key) ?? { faults }
    const after = JSON.parse(value) as TaskRecord
    faults.push(...faultsOf(history.last, after, acknowledged))
    histories.set(key, { ...history, last: after })
  }
  const effect = (name: string): number => {
    const times = (effects.get(name) ?? 0) + 1
    effects.set(name, times)
    return times
  }
  const start = (): Process => {
    const process: Process = { isAlive: true, caller: undefined as never, cleanUp: () => server.close() }
    const gate = (): Promise<void> => new Promise((open) => void (process.isAlive && gates.push({ process, open })))
    const server = createServer(
      { name: 'simulated', version: '1' },
      {
        extensions: [tasks({ store: gated(store, gate, observe), bus: whileAlive(bus, process), limits: LIMITS })],
        onEvent() {},
      },
    )
    for (let task = 0; task < count; task++)
      server.tool(`work-${task}`, { task: 'required' }, async (_, call) => {
        const first = await call.step('first', () => effect(`${task} first`))
        call.progress(1, 2, 'half')
        const { name } = await call.elicit('Who?', Name, { key: 'who' })
        const last = await call.step('last', () => effect(`${task} last`))
        return JSON.stringify([first, name, last])
      })
    return Object.assign(process, {
      caller: callerOf(server, { elicitation: { form: {} }, extensions: { [TASKS_EXTENSION]: {} } }),
    })
  }
  const processes = [start(), start()]

  const pick = <T>(all: readonly T[], choice: number): T | undefined => all[choice % Math.max(1, all.length)]
  const world: World = {
    faults,
    store,
    effects,
    gates,
    records: () => [...histories.values()].flatMap(({ last }) => (last ? [last] : [])),
    async step(choice) {
      const [gate] = gates.splice(choice % Math.max(1, gates.length), 1)
      gate?.open()
      await settle()
    },
    async advance(ms) {
      vi.advanceTimersByTime(ms)
      await settle()
    },
    async crash(choice) {
      const at = choice % processes.length
      const failed = processes[at] as Process
      failed.isAlive = false
      failed.cleanUp()
      gates.splice(0, Infinity, ...gates.filter(({ process }) => process !== failed))
      processes[at] = start()
      await world.advance(1)
    },
    poll(choice) {
      const { caller } = pick(processes, choice) as Process
      const taskId = pick(ids, choice)
      const respond = async (): Promise<void> => {
        const task = await caller.result('tasks/get', { taskId })
        for (const key of Object.keys((task.inputRequests as JsonObject) ?? {})) {
          const inputResponses = { [key]: { action: 'accept', content: { name: 'Ada' } } }
          await caller.result('tasks/update', { taskId, inputResponses })
          acknowledged.add(`${taskId} ${key}`)
        }
      }
      respond().catch((error) => faults.push(`Polling failed: ${error}`))
    },
    cancel(choice) {
      const { caller } = pick(processes, choice) as Process
      caller.result('tasks/cancel', { taskId: pick(ids, choice) }).catch((error) => faults.push(`Cancelling failed: ${error}`))
    },
    async finish() {
      const { records } = world
      for (let round = 0; round < 400; round++) {
        for (let steps = 0; gates.length > 0 && steps < 2000; steps++) await world.step(0)
        const busy = (await store.count('tasks/queue/')) + (await store.count('tasks/lease/'))
        if (busy === 0 && records().every(({ status }) => isTerminalStatus(status))) return records()
        for (const [at, { status }] of records().entries()) if (status === 'input_required') world.poll(at)
        await world.advance(1000)
      }
      faults.push(`Not finished: ${JSON.stringify(records())} ${await store.list('')}`)
      return records()
    },
  }
  await settle()
  for (let task = 0; task < count; task++) {
    let created: JsonObject | undefined
    void (processes[0] as Process).caller.result('tools/call', { name: `work-${task}` }).then((result) => (created = result))
    for (let steps = 0; !created && steps < 100; steps++) await world.step(0)
    if (!created) throw new Error('No task was created')
    ids.push(String(created.taskId))
  }
  return world
}

/** Returns what is wrong with a change of a record. */
function faultsOf(before: TaskRecord | undefined, after: TaskRecord, acknowledged: ReadonlySet<string>): string[] {
  const faults: string[] = []
  if (!before) return faults
  if (isTerminalStatus(before.status)) faults.push(`Changed after its end: ${JSON.stringify([before, after])}`)
  for (const [name, result] of isTerminalStatus(after.status) ? [] : Object.entries(before.state.steps))
    if (after.state.steps[name] !== result) faults.push(`The step ${name} was ${result} and is ${after.state.steps[name]}`)
  for (const [key, { answer }] of Object.entries(after.questions))
    if (!answer && acknowledged.has(`${after.id} ${key}`)) faults.push(`The acknowledged answer to ${key} is lost`)
  if (after.keys.length > 1) faults.push(`Asked again: ${after.keys}`)
  if (after.status === 'completed') {
    const [block] = (after.result as { content: { text: string }[] }).content
    const [first, name, last] = JSON.parse(block?.text ?? '[]') as unknown[]
    const { steps } = before.state
    if (first !== steps.first || last !== steps.last || name !== 'Ada')
      faults.push(`Other than recorded: ${block?.text} ${JSON.stringify(steps)}`)
  }
  return faults
}

/** Returns a store whose operations wait at a gate before they are executed, and before they return. */
function gated(
  store: KeyValueStore,
  gate: () => Promise<void>,
  observe: (key: string, value: string | undefined) => void,
): KeyValueStore {
  const wrap =
    <A extends unknown[], R>(operation: (...args: A) => Promise<R>, onComplete?: (args: A, result: R) => void) =>
    async (...args: A): Promise<R> => {
      await gate()
      const result = await operation(...args)
      onComplete?.(args, result)
      await gate()
      return result
    }
  return {
    get: wrap(store.get),
    set: wrap(store.set, ([key, value]) => observe(key, value)),
    delete: wrap(store.delete),
    compareAndSet: wrap(store.compareAndSet, ([key, { value }], done) => done && observe(key, value)),
    list: wrap(store.list),
    count: wrap(store.count),
  }
}

/** Disconnects a bus when its process fails. */
function whileAlive(bus: Bus, process: Process): Bus {
  return {
    publish: async (topic, message) => (process.isAlive ? bus.publish(topic, message) : undefined),
    subscribe: (topic, onMessage) => bus.subscribe(topic, (message) => void (process.isAlive && onMessage(message))),
  }
}
