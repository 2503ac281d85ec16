import type { JsonObject } from 'portcall/jsonrpc'
import { expect } from 'vitest'
import type { Driver } from '../support/driver.ts'
import { eraOf, type Place } from '../support/places.ts'
import { callTool, GAPS, type Gap, matrix, openPeer, readJournal, textOf, until } from './matrix.ts'

const TASKS = 'io.modelcontextprotocol/tasks'
const RELATED = 'io.modelcontextprotocol/related-task'
const KNOWS = { elicitation: { form: {}, url: {} }, extensions: { [TASKS]: {} } }
const accept = (name: string): JsonObject => ({ action: 'accept', content: { name } })

const NO_TASKS: Gap = { where: ({ revision }) => revision < '2025-11-25', reason: 'no tasks before 2025-11-25' }
const EXTENSION_ONLY: Gap = GAPS.stateless
const CORE_ONLY: Gap = { where: ({ revision }) => revision !== '2025-11-25', reason: 'a matter of 2025-11-25 only' }

/** Tasks as either era has them. */
interface Tasks {
  readonly peer: Driver
  /** Calls a tool as a task; gives what is told of the task. */
  create(name: string, args?: object): Promise<JsonObject>
  get(taskId: unknown): Promise<JsonObject>
  /** Waits for the end; gives what the call would have given. */
  end(taskId: unknown): Promise<{ status: unknown; result?: JsonObject; error?: JsonObject }>
}

async function tasksAt(place: Place): Promise<Tasks> {
  const peer = await openPeer(place, { capabilities: KNOWS })
  const get = async (taskId: unknown): Promise<JsonObject> => (await peer.request('tasks/get', { taskId })).result
  if (eraOf(place.revision) === 'legacy')
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

/** Answers every open question of a task with the name that its message asks for. */
async function answerAll(peer: Driver, { taskId, inputRequests }: JsonObject): Promise<void> {
  for (const key of Object.keys((inputRequests as JsonObject | undefined) ?? {}))
    await peer.request('tasks/update', { taskId, inputResponses: { [key]: accept(`name of ${key}`) } })
}

matrix('tasks', (it) => {
  it(
    'TSKX-002 TSKX-008 TSKX-010 TSKX-012 TSKL-001 TSKL-010 TSKL-014 TSKL-016 TSKL-017 a call becomes a task and ends with its result',
    async (_peer, place) => {
      const tasks = await tasksAt(place)
      const created = await tasks.create('task_greets', { name: 'Ada' })
      expect(created).toMatchObject({ status: 'working', taskId: expect.any(String) as string })
      const { status, result } = await tasks.end(created.taskId)
      expect(status).toBe('completed')
      expect(result?.content).toEqual([{ type: 'text', text: 'Hello, Ada' }])
      const related = (result?._meta as JsonObject | undefined)?.[RELATED]
      expect(related).toEqual(place.revision === '2025-11-25' ? { taskId: created.taskId } : undefined)
    },
    NO_TASKS,
  )

  it(
    'TSKX-012 TSKX-017 TSKX-019 TSKL-018 TSKL-020 a task asks in the middle, one question after the other, and goes on',
    async (_peer, place) => {
      const tasks = await tasksAt(place)
      await readJournal(tasks.peer)
      tasks.peer.onAsk(({ params }) => accept(params.message === 'Who are you?' ? 'name of elicit-1' : 'name of elicit-2'))
      const { taskId } = await tasks.create('task_asks')
      const { status, result } = await tasks.end(taskId)
      expect([status, result?.content]).toEqual(['completed', [{ type: 'text', text: 'name of elicit-1 and name of elicit-2' }]])
      expect(await readJournal(tasks.peer)).toEqual(['begin'])
      if (place.revision !== '2025-11-25') return
      const asks = tasks.peer.log.filter(({ from, message }) => from === 'server' && message.method === 'elicitation/create')
      expect(asks).toHaveLength(2)
      for (const { message } of asks) expect((message.params as { _meta: JsonObject })._meta[RELATED]).toEqual({ taskId })
    },
    NO_TASKS,
  )

  it(
    'TSKX-013 TSKX-014 TSKL-026 an error fails a task; a result that is an error does so in one revision only',
    async (_peer, place) => {
      const tasks = await tasksAt(place)
      const failed = await tasks.end((await tasks.create('task_fails')).taskId)
      expect(failed).toMatchObject({
        status: place.revision === '2025-11-25' ? 'failed' : 'completed',
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
    async (_peer, place) => {
      const tasks = await tasksAt(place)
      await readJournal(tasks.peer)
      const { taskId } = await tasks.create('task_waits')
      await until(async () => (await tasks.get(taskId)).statusMessage === 'Waiting for the end')
      const cancelled = await tasks.peer.request('tasks/cancel', { taskId })
      expect(cancelled.error).toBeUndefined()
      expect((await tasks.get(taskId)).status).toBe('cancelled')
      await until(async () => (await readJournal(tasks.peer)).includes('aborted'))
      const again = await tasks.peer.request('tasks/cancel', { taskId })
      expect(again.error?.code).toBe(place.revision === '2025-11-25' ? -32602 : undefined)
      expect((await tasks.get(taskId)).status).toBe('cancelled')
    },
    NO_TASKS,
  )

  it(
    'TSKX-023 TSKL-025 what is no task is -32602',
    async (_peer, place) => {
      const { peer } = await tasksAt(place)
      const methods = place.revision === '2025-11-25' ? ['get', 'result', 'cancel'] : ['get', 'cancel', 'update']
      for (const method of methods)
        for (const taskId of ['nothing', '', '../secrets', 7])
          expect((await peer.request(`tasks/${method}`, { taskId, inputResponses: {} })).error?.code).toBe(-32602)
    },
    NO_TASKS,
  )

  it('TSKX-003 TSKX-006 TSKL-006 TSKL-007 who does not ask for a task, or knows none, is answered in line', async (peer, {
    revision,
  }) => {
    expect(textOf(await callTool(peer, 'task_greets', { name: 'Ada' }))).toBe('Hello, Ada')
    const { error, result } = await callTool(peer, 'task_only')
    if (revision === '2026-07-28')
      expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities: { extensions: { [TASKS]: {} } } } })
    else if (revision === '2025-11-25') expect(error?.code).toBe(-32601)
    else expect(result.content).toEqual([{ type: 'text', text: 'done' }])
  })

  it('TSKX-034 TSKX-035 TSKL-001 TSKL-028 each revision is told of tasks in its own words', async (peer, { revision }) => {
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
    'TSKL-004 a tool without tasks cannot be called as one',
    async (peer) => {
      const { error } = await peer.request('tools/call', { name: 'journal', task: {} })
      expect(error?.code).toBe(-32601)
    },
    CORE_ONLY,
  )

  it(
    'TSKL-009 the caller says how long a task is kept',
    async (_peer, place) => {
      const { peer } = await tasksAt(place)
      const { result } = await peer.request('tools/call', { name: 'task_greets', arguments: { name: 'A' }, task: { ttl: 1234 } })
      expect(result.task).toMatchObject({ ttl: 1234 })
    },
    CORE_ONLY,
  )

  it(
    'TSKX-011 what is asked before the call becomes a task is asked in line',
    async (_peer, place) => {
      const tasks = await tasksAt(place)
      await readJournal(tasks.peer)
      tasks.peer.onAsk(() => accept('Alice'))
      const outcome = await callTool(tasks.peer, 'task_asks_first')
      expect(outcome.asks).toHaveLength(1)
      expect(outcome.result.resultType).toBe('task')
      const { result } = await tasks.end(outcome.result.taskId)
      expect(result?.content).toEqual([{ type: 'text', text: 'Hello, Alice' }])
      expect(await readJournal(tasks.peer)).toEqual(['detached'])
    },
    EXTENSION_ONLY,
  )

  it(
    'TSKX-027 TSKX-030 changes of a task come by subscription, to those who asked for it',
    async (_peer, place) => {
      const tasks = await tasksAt(place)
      const { taskId } = await tasks.create('task_asks')
      const changes = await tasks.peer.changes({ taskIds: [taskId as string, 'nothing'] } as never)
      await tasks.end(taskId)
      await until(() => statuses(tasks.peer).includes('completed'))
      const told = tasks.peer.log.flatMap(({ message }) =>
        message.method === 'notifications/subscriptions/acknowledged' ? [message] : [],
      )
      expect(told.at(-1)?.params).toMatchObject({ notifications: { taskIds: [taskId] } })
      await changes.close()
    },
    EXTENSION_ONLY,
  )

  it(
    'TSKX-028 TSKX-029 who does not declare the extension has no part in tasks',
    async (peer, place) => {
      const { create } = await tasksAt(place)
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
