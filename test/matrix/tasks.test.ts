import type { JsonObject } from 'portcall/jsonrpc'
import { expect } from 'vitest'
import type { Driver } from '../support/driver.ts'
import { eraOf, type Setup } from '../support/setups.ts'
import { callTool, GAPS, type Gap, matrix, openPeer, readJournal, textOf, until } from './matrix.ts'

const TASKS = 'io.modelcontextprotocol/tasks'
const RELATED = 'io.modelcontextprotocol/related-task'
const CAPABILITIES = { elicitation: { form: {}, url: {} }, extensions: { [TASKS]: {} } }
const accept = (name: string): JsonObject => ({ action: 'accept', content: { name } })

const NO_TASKS: Gap = { where: ({ revision }) => revision < '2025-11-25', reason: 'no tasks before 2025-11-25' }
const EXTENSION_ONLY: Gap = GAPS.stateless
const CORE_ONLY: Gap = { where: ({ revision }) => revision !== '2025-11-25', reason: 'only in 2025-11-25' }

/** One interface to tasks for both eras. */
interface Tasks {
  readonly peer: Driver
  /** Calls a tool as a task and returns the created task. */
  create(name: string, args?: object): Promise<JsonObject>
  get(taskId: unknown): Promise<JsonObject>
  /** Waits until the task has ended and returns the outcome of the call. */
  end(taskId: unknown): Promise<{ status: unknown; result?: JsonObject; error?: JsonObject }>
}

async function tasksAt(setup: Setup): Promise<Tasks> {
  const peer = await openPeer(setup, { capabilities: CAPABILITIES })
  const get = async (taskId: unknown): Promise<JsonObject> => (await peer.request('tasks/get', { taskId })).result
  if (eraOf(setup.revision) === 'legacy')
    return {
      peer,
      get,
      async create(name, args = {}) {
        const { result } = await peer.request('tools/call', { name, arguments: args, task: { ttl: 60_000 } })
        return result.task as JsonObject
      },
      async end(taskId) {
        const { result, error } = await peer.request('tasks/result', { taskId })
        return { status: (await get(taskId)).status, ...(error ? { error: { ...error } } : { result }) }
      },
    }
  return {
    peer,
    get,
    create: async (name, args = {}) => (await callTool(peer, name, args)).result,
    async end(taskId) {
      let task: JsonObject = {}
      await until(async () => {
        task = await get(taskId)
        await answerAll(peer, task)
        return ['completed', 'failed', 'cancelled'].includes(String(task.status))
      })
      return task as never
    },
  }
}

/** Answers every open input request of a task with a name derived from its key. */
async function answerAll(peer: Driver, { taskId, inputRequests }: JsonObject): Promise<void> {
  for (const key of Object.keys((inputRequests as JsonObject | undefined) ?? {}))
    await peer.request('tasks/update', { taskId, inputResponses: { [key]: accept(`name of ${key}`) } })
}

matrix('tasks', (it) => {
  it(
    'TSKX-002 TSKX-008 TSKX-010 TSKX-012 TSKL-001 TSKL-010 TSKL-014 TSKL-016 TSKL-017 a call becomes a task and ends with its result',
    async (_peer, setup) => {
      const tasks = await tasksAt(setup)
      const created = await tasks.create('task_greets', { name: 'Ada' })
      expect(created).toMatchObject({ status: 'working', taskId: expect.any(String) as string })
      const { status, result } = await tasks.end(created.taskId)
      expect(status).toBe('completed')
      expect(result?.content).toEqual([{ type: 'text', text: 'Hello, Ada' }])
      const related = (result?._meta as JsonObject | undefined)?.[RELATED]
      expect(related).toEqual(setup.revision === '2025-11-25' ? { taskId: created.taskId } : undefined)
    },
    NO_TASKS,
  )

  it(
    'TSKX-012 TSKX-017 TSKX-019 TSKL-018 TSKL-020 a task requests input several times and continues after each response',
    async (_peer, setup) => {
      const tasks = await tasksAt(setup)
      await readJournal(tasks.peer)
      tasks.peer.onInputRequest(({ params }) =>
        accept(params.message === 'Who are you?' ? 'name of elicit-1' : 'name of elicit-2'),
      )
      const { taskId } = await tasks.create('task_asks')
      const { status, result } = await tasks.end(taskId)
      expect([status, result?.content]).toEqual(['completed', [{ type: 'text', text: 'name of elicit-1 and name of elicit-2' }]])
      expect(await readJournal(tasks.peer)).toEqual(['begin'])
      if (setup.revision !== '2025-11-25') return
      const asks = tasks.peer.log.filter(({ from, message }) => from === 'server' && message.method === 'elicitation/create')
      expect(asks).toHaveLength(2)
      for (const { message } of asks) expect((message.params as { _meta: JsonObject })._meta[RELATED]).toEqual({ taskId })
    },
    NO_TASKS,
  )

  it(
    'TSKX-013 TSKX-014 TSKL-026 a thrown error fails a task; an error result does so only in 2025-11-25',
    async (_peer, setup) => {
      const tasks = await tasksAt(setup)
      const failed = await tasks.end((await tasks.create('task_fails')).taskId)
      expect(failed).toMatchObject({
        status: setup.revision === '2025-11-25' ? 'failed' : 'completed',
        result: { isError: true, content: [{ text: 'It went wrong' }] },
      })
      const { taskId } = await tasks.create('task_breaks')
      expect(await tasks.end(taskId)).toMatchObject({
        status: 'failed',
        error: { code: -32000, message: 'It cannot be done', data: { why: 'broken' } },
      })
      expect((await tasks.get(taskId)).statusMessage).toBe('It cannot be done')
    },
    NO_TASKS,
  )

  it(
    'TSKX-024 TSKX-025 TSKL-023 cancelling stops the work and is final',
    async (_peer, setup) => {
      const tasks = await tasksAt(setup)
      await readJournal(tasks.peer)
      const { taskId } = await tasks.create('task_waits')
      await until(async () => (await tasks.get(taskId)).statusMessage === 'Waiting for the end')
      const cancelled = await tasks.peer.request('tasks/cancel', { taskId })
      expect(cancelled.error).toBeUndefined()
      expect((await tasks.get(taskId)).status).toBe('cancelled')
      await until(async () => (await readJournal(tasks.peer)).includes('aborted'))
      const again = await tasks.peer.request('tasks/cancel', { taskId })
      expect(again.error?.code).toBe(setup.revision === '2025-11-25' ? -32602 : undefined)
      expect((await tasks.get(taskId)).status).toBe('cancelled')
    },
    NO_TASKS,
  )

  it(
    'TSKX-023 TSKL-025 an unknown task id is rejected with -32602',
    async (_peer, setup) => {
      const { peer } = await tasksAt(setup)
      const methods = setup.revision === '2025-11-25' ? ['get', 'result', 'cancel'] : ['get', 'cancel', 'update']
      for (const method of methods)
        for (const taskId of ['nothing', '', '../secrets', 7])
          expect((await peer.request(`tasks/${method}`, { taskId, inputResponses: {} })).error?.code).toBe(-32602)
    },
    NO_TASKS,
  )

  it('TSKX-003 TSKX-006 TSKL-006 TSKL-007 a client that does not request or support tasks receives the result directly', async (peer, {
    revision,
  }) => {
    expect(textOf(await callTool(peer, 'task_greets', { name: 'Ada' }))).toBe('Hello, Ada')
    const { error, result } = await callTool(peer, 'task_only')
    if (revision === '2026-07-28')
      expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities: { extensions: { [TASKS]: {} } } } })
    else if (revision === '2025-11-25') expect(error?.code).toBe(-32601)
    else expect(result.content).toEqual([{ type: 'text', text: 'done' }])
  })

  it('TSKX-034 TSKX-035 TSKL-001 TSKL-028 tasks are advertised in the form of each revision', async (peer, { revision }) => {
    const { tasks, extensions } = peer.server.capabilities as { tasks?: JsonObject; extensions?: JsonObject }
    expect(tasks).toEqual(revision === '2025-11-25' ? { cancel: {}, requests: { tools: { call: {} } } } : undefined)
    expect(extensions?.[TASKS]).toEqual(revision === '2026-07-28' ? {} : undefined)
    const listed: JsonObject[] = []
    for (let cursor: unknown; ; ) {
      const { result } = await peer.request('tools/list', cursor === undefined ? {} : { cursor })
      listed.push(...(result.tools as JsonObject[]))
      cursor = result.nextCursor
      if (cursor === undefined) break
    }
    const executionOf = (name: string): unknown => listed.find((tool) => tool.name === name)?.execution
    expect(executionOf('task_only')).toEqual(revision === '2025-11-25' ? { taskSupport: 'required' } : undefined)
    expect(executionOf('journal')).toBeUndefined()
    expect((await peer.request('tasks/list')).error?.code).toBe(-32601)
    if (revision !== '2025-11-25') expect((await peer.request('tasks/result', { taskId: 'x' })).error?.code).toBe(-32601)
  })

  it(
    'TSKL-004 a tool without task support cannot be called as a task',
    async (peer) => {
      const { error } = await peer.request('tools/call', { name: 'journal', task: {} })
      expect(error?.code).toBe(-32601)
    },
    CORE_ONLY,
  )

  it(
    'TSKL-009 the client requests the TTL of a task',
    async (_peer, setup) => {
      const { peer } = await tasksAt(setup)
      const { result } = await peer.request('tools/call', { name: 'task_greets', arguments: { name: 'A' }, task: { ttl: 1234 } })
      expect(result.task).toMatchObject({ ttl: 1234 })
    },
    CORE_ONLY,
  )

  it(
    'TSKX-011 input required before detach is requested in the call itself',
    async (_peer, setup) => {
      const tasks = await tasksAt(setup)
      await readJournal(tasks.peer)
      tasks.peer.onInputRequest(() => accept('Alice'))
      const outcome = await callTool(tasks.peer, 'task_asks_first')
      expect(outcome.inputRequests).toHaveLength(1)
      expect(outcome.result.resultType).toBe('task')
      const { result } = await tasks.end(outcome.result.taskId)
      expect(result?.content).toEqual([{ type: 'text', text: 'Hello, Alice' }])
      expect(await readJournal(tasks.peer)).toEqual(['detached'])
    },
    EXTENSION_ONLY,
  )

  it(
    'TSKX-027 TSKX-030 changes of a task are sent to its subscribers',
    async (_peer, setup) => {
      const tasks = await tasksAt(setup)
      const { taskId } = await tasks.create('task_asks')
      const changes = await tasks.peer.changes({ taskIds: [taskId as string, 'nothing'] } as never)
      await tasks.end(taskId)
      await until(() => statuses(tasks.peer).includes('completed'))
      const acknowledgements = tasks.peer.log.flatMap(({ message }) =>
        message.method === 'notifications/subscriptions/acknowledged' ? [message] : [],
      )
      expect(acknowledgements.at(-1)?.params).toMatchObject({ notifications: { taskIds: [taskId] } })
      await changes.close()
    },
    EXTENSION_ONLY,
  )

  it(
    'TSKX-028 TSKX-029 a client that does not declare the extension cannot use tasks',
    async (peer, setup) => {
      const { create } = await tasksAt(setup)
      const { taskId } = await create('task_greets', { name: 'Ada' })
      const methods = ['tasks/get', 'tasks/update', 'tasks/cancel']
      for (const method of methods) expect((await peer.request(method, { taskId, inputResponses: {} })).error?.code).toBe(-32021)
      const { error } = await peer.request('subscriptions/listen', { notifications: { taskIds: [taskId] } })
      expect(error?.code).toBe(-32021)
    },
    EXTENSION_ONLY,
  )
})

function statuses(peer: Driver): unknown[] {
  return peer.log.flatMap(({ message }) =>
    message.method === 'notifications/tasks' ? [(message.params as JsonObject).status] : [],
  )
}
