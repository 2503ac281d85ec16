import { afterEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { eventually } from '../../../test-kit/eventually.ts'
import { type Caller, callerOf } from '../../../test-kit/server.ts'
import { waitForStatus } from '../../../test-kit/tasks/until.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { LegacySession } from '../../legacy/server/session.ts'
import { TASKS_EXTENSION } from '../../protocol/tasks.ts'
import { createServer } from '../../server/server.ts'
import type { Server } from '../../server/types.ts'
import { memoryStores } from '../../stores/memory/memory.ts'
import { type TasksOptions, tasks } from './extension.ts'
import type { Tasks } from './tasks-api.ts'

const CAPABILITIES = { elicitation: { form: {} }, extensions: { [TASKS_EXTENSION]: {} } }
const QUICK = { sweepIntervalMs: 100, statusMessageIntervalMs: 5 }

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

interface TestServer {
  readonly server: Server & { readonly tasks: Tasks }
  /** Returns a caller, authenticated as the principal. */
  connectAs(principal?: string): Caller
}

/** Creates a server with tools that wait, request input, or return long results. */
function createTestServer({ limits, ...options }: TasksOptions = {}): TestServer {
  const { store, bus } = memoryStores()
  const extensions = [tasks({ store, bus, limits: { ...QUICK, ...limits }, ...options })] as const
  const server = createServer({ name: 'test', version: '1' }, { extensions })
  server.tool('wait', { task: 'required' }, async (_, call) => {
    await new Promise((resolve) => call.signal.addEventListener('abort', resolve))
    return 'aborted'
  })
  server.tool('ask', { task: 'required' }, async (_, call) => (await call.elicit('Who?', z.object({ name: z.string() }))).name)
  server.tool('repeat', { task: 'required', input: z.object({ length: z.number() }) }, ({ length }) => 'x'.repeat(length))
  server.tool('quick', { task: 'required' }, () => 'done')
  closing.push(() => server.close())
  return {
    server,
    connectAs(principal) {
      const caller = callerOf(server, CAPABILITIES)
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

const startTask = async (caller: Caller, name: string, args: JsonObject = {}): Promise<unknown> =>
  (await caller.result('tools/call', { name, arguments: args })).taskId

describe('the owner of a task', () => {
  it('TSKX-033 TSKL-027 no method distinguishes a task of another principal from one that does not exist', async () => {
    const { server, connectAs } = createTestServer()
    const ada = connectAs('ada')
    const taskId = await startTask(ada, 'ask')
    const { inputRequests } = await waitForStatus(ada, taskId, 'input_required')
    const [key] = Object.keys(inputRequests as object)
    const inputResponses = { [String(key)]: { action: 'accept', content: { name: 'Eve' } } }
    for (const other of [connectAs('eve'), connectAs()])
      for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
        expect(await other.error(method, { taskId, inputResponses })).toEqual(
          await other.error(method, { taskId: 'nothing', inputResponses }),
        )
    expect(await server.tasks.list({ principal: 'eve' })).toEqual([])
    expect(await server.tasks.get(String(taskId))).toBeUndefined()
    await server.tasks.cancel(String(taskId), { principal: 'eve' })
    expect(await waitForStatus(ada, taskId, 'input_required')).toMatchObject({ inputRequests })
  })

  it('TSKX-027 TSKX-033 another principal receives no notifications, even if it subscribes to the id', async () => {
    const { connectAs } = createTestServer()
    const [ada, eve] = [connectAs('ada'), connectAs('eve')]
    const taskId = await startTask(ada, 'wait')
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

  it('TSKL-027 another principal cannot read the result in a session of 2025-11-25', async () => {
    const { server, connectAs } = createTestServer()
    const taskId = await startTask(connectAs('ada'), 'quick')
    const session = new LegacySession({ core: server.exchange, notify: () => {} })
    const request = (principal: string, method: string, params: JsonObject) =>
      session.exchange(
        { jsonrpc: '2.0', id: 1, method, params },
        { signal: new AbortController().signal, notify: () => {}, auth: { principal } },
      )
    const clientInfo = { name: 'old', version: '1' }
    await request('ada', 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
    expect(await request('ada', 'tasks/result', { taskId })).toMatchObject({ result: { content: [{ text: 'done' }] } })
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
      expect(await request('eve', method, { taskId })).toMatchObject({ error: { code: -32602 } })
  })
})

describe('the limits of tasks', () => {
  it('TSKL-029 the number of unfinished tasks is limited, per caller and in total', async () => {
    const { connectAs } = createTestServer({ limits: { maxTasks: 3, maxPrincipalTasks: 2 } })
    const [ada, bob] = [connectAs('ada'), connectAs('bob')]
    const [first] = [await startTask(ada, 'wait'), await startTask(ada, 'wait')]
    expect(await ada.error('tools/call', { name: 'wait' })).toMatchObject({
      code: -32603,
      message: 'Too many tasks: This caller has 2 unfinished ones',
    })
    await startTask(bob, 'wait')
    expect((await bob.error('tools/call', { name: 'wait' })).message).toBe('Too many tasks: This server has 3 unfinished ones')
    await ada.result('tasks/cancel', { taskId: first })
    await startTask(ada, 'wait')
  })

  it('a record that is too large fails the task, or the call', async () => {
    const { connectAs } = createTestServer({ limits: { maxRecordBytes: 2000 } })
    const caller = connectAs('ada')
    const tooLong = await waitForStatus(caller, await startTask(caller, 'repeat', { length: 3000 }), 'failed')
    expect(tooLong.error).toMatchObject({ code: -32603, message: expect.stringMatching(/2000 are allowed \(maxRecordBytes\)/) })
    expect(await caller.error('tools/call', { name: 'repeat', arguments: { length: 1, more: 'x'.repeat(3000) } })).toMatchObject({
      code: -32603,
      message: expect.stringContaining('maxRecordBytes'),
    })
    expect(await waitForStatus(caller, await startTask(caller, 'repeat', { length: 3 }), 'completed')).toMatchObject({
      result: { content: [{ text: 'xxx' }] },
    })
  })

  it('TSKX-016 TSKL-015 a task expires after its TTL, even while it is running', async () => {
    const { server, connectAs } = createTestServer({ limits: { ttlMs: 150, maxClockSkewMs: 0, leaseTtlMs: 300 } })
    const caller = connectAs('ada')
    const taskId = await startTask(caller, 'wait')
    await eventually(() => expect(server.tasks.running).toBe(1))
    await eventually(async () => expect(await caller.error('tasks/get', { taskId })).toMatchObject({ code: -32602 }))
    await eventually(() => expect(server.tasks.running).toBe(0))
    expect(await server.tasks.list({ principal: 'ada' })).toEqual([])
  })

  it('a task whose worker fails each time is started maxAttempts times at most', async () => {
    const { store, bus } = memoryStores()
    // The lease is so long that a slow worker does not lose it.
    const common = { store, bus, limits: { leaseTtlMs: 3_600_000, maxAttempts: 2 } }
    const silentBus = { ...bus, publish: async () => {} }
    const caller = createTestServer({ ...common, runWorker: false }).connectAs('ada')
    const taskId = await startTask(caller, 'wait')
    for (let attempt = 1; attempt <= 2; attempt++) {
      let isAlive = true
      const failingStore = {
        ...store,
        compareAndSet: async (...args: Parameters<typeof store.compareAndSet>) =>
          isAlive ? store.compareAndSet(...args) : hang(),
      }
      const { server } = createTestServer({ ...common, store: failingStore, bus: silentBus })
      await eventually(() => expect(server.tasks.running).toBe(1))
      await eventually(async () => expect(await store.get(`tasks/lease/${await refOf(store)}`)).toBeDefined())
      await eventually(async () => expect(await runsOf(store)).toBe(attempt))
      isAlive = false
      await store.delete(`tasks/lease/${await refOf(store)}`)
    }
    createTestServer(common)
    const { error } = await waitForStatus(caller, taskId, 'failed')
    expect((error as JsonObject).message).toMatch(/started 2 times and its worker failed each time.*maxAttempts: 2/)
  })
})

const hang = (): Promise<never> => new Promise(() => {})
const refOf = async (store: ReturnType<typeof memoryStores>['store']): Promise<string> =>
  String((await store.list('tasks/record/', { limit: 1 }))[0]).slice('tasks/record/'.length)
const runsOf = async (store: ReturnType<typeof memoryStores>['store']): Promise<unknown> =>
  (JSON.parse((await store.get(`tasks/record/${await refOf(store)}`)) ?? '{}') as { run?: number }).run

describe('stopping a server', () => {
  it('lets running tasks end within the drain timeout; another process starts the remaining ones again', async () => {
    const { store, bus } = memoryStores()
    const { server, connectAs } = createTestServer({ store, bus })
    let finish = (): void => {}
    server.tool('soon', { task: 'required' }, () => new Promise<string>((resolve) => (finish = () => resolve('in time'))))
    const caller = connectAs('ada')
    const soon = await startTask(caller, 'soon')
    const waiting = await startTask(caller, 'wait')
    await eventually(() => expect(server.tasks.running).toBe(2))
    const stopped = server.tasks.stop({ drainTimeoutMs: 100 })
    finish()
    await stopped
    expect(server.tasks.running).toBe(0)
    expect(await waitForStatus(caller, soon, 'completed')).toMatchObject({ result: { content: [{ text: 'in time' }] } })
    expect(await caller.result('tasks/get', { taskId: waiting })).toMatchObject({ status: 'working' })
    const other = createTestServer({ store, bus })
    await eventually(() => expect(other.server.tasks.running).toBe(1))
    await caller.result('tasks/cancel', { taskId: waiting })
    await eventually(() => expect(other.server.tasks.running).toBe(0))
  })
})
