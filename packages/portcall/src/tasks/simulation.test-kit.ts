/**
 * Several processes that work on the same tasks, in one: every operation of a store waits at a gate before it is done and before its answer
 * is heard, and whoever drives the simulation says which goes on next, when time passes, and when a process dies with all that it was about to do.
 */
import { vi } from 'vitest'
import * as z from 'zod'
import type { JsonObject } from '../jsonrpc/message.ts'
import { TASKS_EXTENSION } from '../protocol/tasks.ts'
import { type Caller, callerOf } from '../server/server.test-kit.ts'
import { createServer } from '../server/server.ts'
import type { Bus } from '../stores/bus.ts'
import { memory } from '../stores/memory.ts'
import type { Store } from '../stores/store.ts'
import { tasks } from './extension.ts'
import type { TaskRecord } from './record.ts'
import { isFinal } from './types.ts'

export const LIMITS = {
  leaseMs: 3000,
  messageMs: 100,
  maxAttempts: 10_000,
  ttlMs: 3_600_000,
  maxSkewMs: 1000,
  sweepMs: 5000,
  storeTimeoutMs: Infinity,
  concurrency: 2,
}

interface Process {
  alive: boolean
  readonly caller: Caller
  /** Takes away the timers that it leaves behind. */
  bury(): void
}

interface Gate {
  readonly process: Process
  open(): void
}

/** What happened to each task, as its record tells. */
interface History {
  last?: TaskRecord
  readonly faults: string[]
}

export interface World {
  readonly faults: string[]
  readonly store: Store
  /** How often each effect ran. */
  readonly effects: Map<string, number>
  readonly gates: Gate[]
  /** All tasks, as they are. */
  records(): TaskRecord[]
  /** Lets one waiting operation go on. */
  step(choice: number): Promise<void>
  pass(ms: number): Promise<void>
  /** A process dies, and another is started. */
  crash(choice: number): Promise<void>
  /** Asks after a task by some process, and answers what it asks. */
  visit(choice: number): void
  cancel(choice: number): void
  /** Lets everything happen that is to happen. Resolves to the records of all tasks. */
  finish(): Promise<TaskRecord[]>
}

const Name = z.object({ name: z.string() })

/** Lets everything happen that waits for nothing. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export async function createWorld(count: number): Promise<World> {
  const { store, bus } = memory()
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
    const process: Process = { alive: true, caller: undefined as never, bury: () => server.close() }
    const gate = (): Promise<void> => new Promise((open) => void (process.alive && gates.push({ process, open })))
    const server = createServer(
      { name: 'simulated', version: '1' },
      { extensions: [tasks({ store: gated(store, gate, observe), bus: deaf(bus, process), limits: LIMITS })] },
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
    async pass(ms) {
      vi.advanceTimersByTime(ms)
      await settle()
    },
    async crash(choice) {
      const at = choice % processes.length
      const dead = processes[at] as Process
      dead.alive = false
      dead.bury()
      gates.splice(0, Infinity, ...gates.filter(({ process }) => process !== dead))
      processes[at] = start()
      await world.pass(1)
    },
    visit(choice) {
      const { caller } = pick(processes, choice) as Process
      const taskId = pick(ids, choice)
      const answered = async (): Promise<void> => {
        const task = await caller.result('tasks/get', { taskId })
        for (const key of Object.keys((task.inputRequests as JsonObject) ?? {})) {
          const inputResponses = { [key]: { action: 'accept', content: { name: 'Ada' } } }
          await caller.result('tasks/update', { taskId, inputResponses })
          acknowledged.add(`${taskId} ${key}`)
        }
      }
      answered().catch((error) => faults.push(`A visit failed: ${error}`))
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
        if (busy === 0 && records().every(({ status }) => isFinal(status))) return records()
        for (const [at, { status }] of records().entries()) if (status === 'input_required') world.visit(at)
        await world.pass(1000)
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

/** What may not happen to a record from one write to the next. */
function faultsOf(before: TaskRecord | undefined, after: TaskRecord, acknowledged: ReadonlySet<string>): string[] {
  const faults: string[] = []
  if (!before) return faults
  if (isFinal(before.status)) faults.push(`Changed after its end: ${JSON.stringify([before, after])}`)
  for (const [name, result] of isFinal(after.status) ? [] : Object.entries(before.state.steps))
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

/** A store whose operations wait before they are done, and before they are heard to be. */
function gated(store: Store, gate: () => Promise<void>, observe: (key: string, value: string | undefined) => void): Store {
  const wrap =
    <A extends unknown[], R>(operation: (...args: A) => Promise<R>, heard?: (args: A, result: R) => void) =>
    async (...args: A): Promise<R> => {
      await gate()
      const result = await operation(...args)
      heard?.(args, result)
      await gate()
      return result
    }
  return {
    get: wrap(store.get),
    set: wrap(store.set, ([key, value]) => observe(key, value)),
    delete: wrap(store.delete),
    swap: wrap(store.swap, ([key, { value }], done) => done && observe(key, value)),
    list: wrap(store.list),
    count: wrap(store.count),
  }
}

/** A bus that the dead do not hear, nor speak on. */
function deaf(bus: Bus, process: Process): Bus {
  return {
    publish: async (topic, message) => (process.alive ? bus.publish(topic, message) : undefined),
    subscribe: (topic, onMessage) => bus.subscribe(topic, (message) => void (process.alive && onMessage(message))),
  }
}
