import { afterEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { eventually } from '../../test-kit/eventually.ts'
import { createServer, type Server } from '../index.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import { createLegacySession } from '../legacy/session.ts'
import { TASKS_EXTENSION } from '../protocol/tasks.ts'
import { type Caller, callerOf } from '../server/server.test-kit.ts'
import { memory } from '../stores/memory.ts'
import { type TasksOptions, tasks } from './extension.ts'
import type { Tasks } from './operator.ts'
import { until } from './until.test-kit.ts'

const KNOWS = { elicitation: { form: {} }, extensions: { [TASKS_EXTENSION]: {} } }
const QUICK = { sweepMs: 100, messageMs: 5 }

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

interface Shop {
  readonly server: Server & { readonly tasks: Tasks }
  /** Calls as somebody. */
  as(principal?: string): Caller
}

/** A server whose tools wait, ask, and say much. */
function openShop({ limits, ...options }: TasksOptions = {}): Shop {
  const { store, bus } = memory()
  const extensions = [tasks({ store, bus, limits: { ...QUICK, ...limits }, ...options })] as const
  const server = createServer({ name: 'shop', version: '1' }, { extensions })
  server.tool('wait', { task: 'required' }, async (_, call) => {
    await new Promise((resolve) => call.signal.addEventListener('abort', resolve))
    return 'over'
  })
  server.tool('ask', { task: 'required' }, async (_, call) => (await call.elicit('Who?', z.object({ name: z.string() }))).name)
  server.tool('say', { task: 'required', input: z.object({ length: z.number() }) }, ({ length }) => 'x'.repeat(length))
  server.tool('quick', { task: 'required' }, () => 'done')
  closing.push(() => server.close())
  return {
    server,
    as(principal) {
      const caller = callerOf(server, KNOWS)
      const auth = principal === undefined ? {} : { auth: { principal } }
      const request: Caller['request'] = (method, params, context) => caller.request(method, params, { ...auth, ...context })
      return {
        ...caller,
        request,
        result: (method, params, context) => caller.result(method, params, { ...auth, ...context }),
        error: (method, params, context) => caller.error(method, params, { ...auth, ...context }),
      }
    },
  }
}

const begin = async (caller: Caller, name: string, args: JsonObject = {}): Promise<unknown> =>
  (await caller.result('tools/call', { name, arguments: args })).taskId

describe('whose a task is', () => {
  it('TSKX-033 TSKL-027 a task of somebody else is as unknown as one that does not exist, in every method', async () => {
    const { server, as } = openShop()
    const ada = as('ada')
    const taskId = await begin(ada, 'ask')
    const { inputRequests } = await until(ada, taskId, 'input_required')
    const [key] = Object.keys(inputRequests as object)
    const inputResponses = { [String(key)]: { action: 'accept', content: { name: 'Eve' } } }
    for (const other of [as('eve'), as()])
      for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
        expect(await other.error(method, { taskId, inputResponses })).toEqual(
          await other.error(method, { taskId: 'nothing', inputResponses }),
        )
    expect(await server.tasks.list({ principal: 'eve' })).toEqual([])
    expect(await server.tasks.get(String(taskId))).toBeUndefined()
    await server.tasks.cancel(String(taskId), { principal: 'eve' })
    expect(await until(ada, taskId, 'input_required')).toMatchObject({ inputRequests })
  })

  it('TSKX-027 TSKX-033 somebody else hears nothing of it, although it listens by its id', async () => {
    const { as } = openShop()
    const [ada, eve] = [as('ada'), as('eve')]
    const taskId = await begin(ada, 'wait')
    const listening = new AbortController()
    for (const caller of [ada, eve])
      void caller
        .request('subscriptions/listen', { notifications: { taskIds: [taskId] } }, { signal: listening.signal })
        .catch(() => {})
    await eventually(() => expect([ada.notifications.length, eve.notifications.length]).toEqual([1, 1]))
    await ada.result('tasks/cancel', { taskId })
    await eventually(() => expect(ada.notifications.at(-1)).toMatchObject({ params: { taskId, status: 'cancelled' } }))
    expect(eve.notifications).toMatchObject([{ params: { notifications: {} } }])
    listening.abort()
  })

  it('TSKL-027 nor does somebody else get its result in a session of 2025-11-25', async () => {
    const { server, as } = openShop()
    const taskId = await begin(as('ada'), 'quick')
    const session = createLegacySession({ core: server.exchange, notify: () => {} })
    const ask = (principal: string, method: string, params: JsonObject) =>
      session.exchange(
        { jsonrpc: '2.0', id: 1, method, params },
        { signal: new AbortController().signal, notify: () => {}, auth: { principal } },
      )
    const clientInfo = { name: 'old', version: '1' }
    await ask('ada', 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
    expect(await ask('ada', 'tasks/result', { taskId })).toMatchObject({ result: { content: [{ text: 'done' }] } })
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
      expect(await ask('eve', method, { taskId })).toMatchObject({ error: { code: -32602 } })
  })
})

describe('the limits of tasks', () => {
  it('TSKL-029 only so many are unfinished, of one caller and of all; those that end make room', async () => {
    const { as } = openShop({ limits: { maxTasks: 3, maxPrincipalTasks: 2 } })
    const [ada, bob] = [as('ada'), as('bob')]
    const [first] = [await begin(ada, 'wait'), await begin(ada, 'wait')]
    expect(await ada.error('tools/call', { name: 'wait' })).toMatchObject({
      code: -32603,
      message: 'Too many tasks: This caller has 2 unfinished ones',
    })
    await begin(bob, 'wait')
    expect((await bob.error('tools/call', { name: 'wait' })).message).toBe('Too many tasks: This server has 3 unfinished ones')
    await ada.result('tasks/cancel', { taskId: first })
    await begin(ada, 'wait')
  })

  it('what is too large to be kept fails the task, or the call', async () => {
    const { as } = openShop({ limits: { maxRecordBytes: 2000 } })
    const caller = as('ada')
    const tooLong = await until(caller, await begin(caller, 'say', { length: 3000 }), 'failed')
    expect(tooLong.error).toMatchObject({ code: -32603, message: expect.stringMatching(/2000 are allowed \(maxRecordBytes\)/) })
    expect(await caller.error('tools/call', { name: 'say', arguments: { length: 1, more: 'x'.repeat(3000) } })).toMatchObject({
      code: -32603,
      message: expect.stringContaining('maxRecordBytes'),
    })
    expect(await until(caller, await begin(caller, 'say', { length: 3 }), 'completed')).toMatchObject({
      result: { content: [{ text: 'xxx' }] },
    })
  })

  it('TSKX-016 TSKL-015 a task ends with its time, whatever it does, and is gone', async () => {
    const { server, as } = openShop({ limits: { ttlMs: 150, maxSkewMs: 0, leaseMs: 300 } })
    const caller = as('ada')
    const taskId = await begin(caller, 'wait')
    await eventually(() => expect(server.tasks.running).toBe(1))
    await eventually(async () => expect(await caller.error('tasks/get', { taskId })).toMatchObject({ code: -32602 }))
    await eventually(() => expect(server.tasks.running).toBe(0))
    expect(await server.tasks.list({ principal: 'ada' })).toEqual([])
  })

  it('a task that kills whoever works on it is begun only so often', async () => {
    const { store, bus } = memory()
    // Nobody loses a lease by standing still: it ends when its worker dies.
    const grounds = { store, bus, limits: { leaseMs: 3_600_000, maxAttempts: 2 } }
    const dead = { ...bus, publish: async () => {} }
    const caller = openShop({ ...grounds, work: false }).as('ada')
    const taskId = await begin(caller, 'wait')
    for (let life = 0; life < 2; life++) {
      let alive = true
      const dying = { ...store, swap: async (...args: Parameters<typeof store.swap>) => (alive ? store.swap(...args) : stuck()) }
      const { server } = openShop({ ...grounds, store: dying, bus: dead })
      await eventually(() => expect(server.tasks.running).toBe(1))
      await eventually(async () => expect(await store.get(`tasks/lease/${await refOf(store)}`)).toBeDefined())
      await eventually(async () => expect(await runsOf(store)).toBe(life + 1))
      alive = false
      await store.delete(`tasks/lease/${await refOf(store)}`)
    }
    openShop(grounds)
    const { error } = await until(caller, taskId, 'failed')
    expect((error as JsonObject).message).toMatch(/begun 2 times and its worker died each time.*maxAttempts: 2/)
  })
})

const stuck = (): Promise<never> => new Promise(() => {})
const refOf = async (store: ReturnType<typeof memory>['store']): Promise<string> =>
  String((await store.list('tasks/record/', { limit: 1 }))[0]).slice('tasks/record/'.length)
const runsOf = async (store: ReturnType<typeof memory>['store']): Promise<unknown> =>
  (JSON.parse((await store.get(`tasks/record/${await refOf(store)}`)) ?? '{}') as { run?: number }).run

describe('a server that stops', () => {
  it('lets what runs end in time, and leaves the rest to others, who begin it anew', async () => {
    const { store, bus } = memory()
    const { server, as } = openShop({ store, bus })
    let finish = (): void => {}
    server.tool('soon', { task: 'required' }, () => new Promise<string>((resolve) => (finish = () => resolve('in time'))))
    const caller = as('ada')
    const soon = await begin(caller, 'soon')
    const late = await begin(caller, 'wait')
    await eventually(() => expect(server.tasks.running).toBe(2))
    const stopped = server.tasks.stop({ drainMs: 100 })
    finish()
    await stopped
    expect(server.tasks.running).toBe(0)
    expect(await until(caller, soon, 'completed')).toMatchObject({ result: { content: [{ text: 'in time' }] } })
    expect(await caller.result('tasks/get', { taskId: late })).toMatchObject({ status: 'working' })
    const other = openShop({ store, bus })
    await eventually(() => expect(other.server.tasks.running).toBe(1))
    await caller.result('tasks/cancel', { taskId: late })
    await eventually(() => expect(other.server.tasks.running).toBe(0))
  })
})
