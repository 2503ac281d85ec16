import { afterEach, describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import type { JsonObject } from '../jsonrpc/message.ts'
import { TASKS_EXTENSION } from '../protocol/tasks.ts'
import { callerOf } from '../server/server.test-kit.ts'
import { createServer } from '../server/server.ts'
import { memory } from '../stores/memory.ts'
import { StoreUnavailable } from '../stores/unavailable.ts'
import { detach } from './detach.ts'
import { type TasksOptions, tasks } from './extension.ts'
import { until } from './until.test-kit.ts'

const KNOWS = { elicitation: { form: {} }, extensions: { [TASKS_EXTENSION]: {} } }
const name = z.object({ name: z.string() })
const accept = (content: JsonObject): JsonObject => ({ action: 'accept', content })

const servers: { close(): void }[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

function serverWith(options: TasksOptions = {}) {
  const { store, bus } = memory()
  const server = createServer({ name: 'tasks', version: '1' }, { extensions: [tasks({ store, bus, ...options })] })
  servers.push(server)
  return server
}

describe('tasks', () => {
  it('a caller is told that the store is away', async () => {
    const away = async (): Promise<never> => {
      throw new StoreUnavailable('Redis cannot be reached')
    }
    const server = serverWith({ store: { ...memory().store, get: away } })
    const response = await callerOf(server, KNOWS).request('tasks/get', { taskId: 'x' })
    expect(response).toMatchObject({
      error: { code: -32603, message: expect.stringMatching(/^The server cannot reach its store/) },
    })
    expect(JSON.stringify(response)).not.toContain('Redis')
  })

  it('TSKX-001 TSKX-002 TSKX-008 TSKX-009 TSKX-010 TSKX-012 a call becomes a task and ends with its result', async () => {
    const server = serverWith()
    server.tool('work', { task: 'optional', input: name }, ({ name }) => `Hello, ${name}`)
    const caller = callerOf(server, KNOWS)
    const discovered = await caller.result('server/discover')
    expect(discovered.capabilities).toMatchObject({ extensions: { [TASKS_EXTENSION]: {} } })
    const created = await caller.result('tools/call', { name: 'work', arguments: { name: 'Ada' } })
    expect(created).toMatchObject({ resultType: 'task', status: 'working', ttlMs: 86_400_000, pollIntervalMs: 1000 })
    expect(await caller.result('tasks/get', { taskId: created.taskId })).toMatchObject({
      resultType: 'complete',
      taskId: created.taskId,
    })
    const done = await until(caller, created.taskId, 'completed')
    expect(done.result).toMatchObject({ content: [{ type: 'text', text: 'Hello, Ada' }] })
  })

  it('TSKX-003 TSKX-006 who does not declare the extension gets the result, or hears that it has to', async () => {
    const server = serverWith()
    server.tool('either', { task: 'optional' }, () => 'in line')
    server.tool('must', { task: 'required' }, () => 'never')
    const caller = callerOf(server)
    expect((await caller.result('tools/call', { name: 'either' })).content).toMatchObject([{ text: 'in line' }])
    expect(await caller.error('tools/call', { name: 'must' })).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } },
    })
  })

  it('TSKX-012 TSKX-017 TSKX-021 TSKX-022 a task asks, takes answers one by one, and goes on', async () => {
    const server = serverWith()
    server.tool('ask', { task: 'required' }, async (_, call) => {
      const [a, b] = await Promise.all([call.elicit('A?', name, { key: 'a' }), call.elicit('B?', name, { key: 'b' })])
      return `${a.name} ${b.name}`
    })
    const caller = callerOf(server, KNOWS)
    const { taskId } = await caller.result('tools/call', { name: 'ask' })
    const asking = await until(caller, taskId, 'input_required')
    expect(Object.keys(asking.inputRequests as object)).toEqual(['a', 'b'])
    expect(
      await caller.result('tasks/update', { taskId, inputResponses: { a: accept({ name: 'Ada' }), z: accept({}) } }),
    ).toEqual({
      resultType: 'complete',
      _meta: expect.anything(),
    })
    const still = await caller.result('tasks/get', { taskId })
    expect(Object.keys(still.inputRequests as object)).toEqual(['b'])
    await caller.result('tasks/update', { taskId, inputResponses: { b: accept({ name: 'Bob' }) } })
    expect((await until(caller, taskId, 'completed')).result).toMatchObject({ content: [{ text: 'Ada Bob' }] })
  })

  it('TSKX-011 asks first and detaches then; what was answered is remembered', async () => {
    const server = serverWith()
    const runs = vi.fn()
    server.tool('first', { task: { support: 'optional', begins: 'detach' } }, async (_, call) => {
      const { name: who } = await call.elicit('Who?', name, { key: 'who' })
      await call.step('note', runs)
      await detach(call)
      return `Hello, ${who}`
    })
    const caller = callerOf(server, KNOWS)
    const asked = await caller.result('tools/call', { name: 'first' })
    expect(asked).toMatchObject({ resultType: 'input_required', inputRequests: { who: {} } })
    expect(asked.taskId).toBeUndefined()
    const { requestState } = asked
    const inputResponses = { who: accept({ name: 'Alice' }) }
    const created = await caller.result('tools/call', { name: 'first', inputResponses, requestState })
    expect(created).toMatchObject({ resultType: 'task' })
    expect(created.requestState).toBeUndefined()
    expect((await until(caller, created.taskId, 'completed')).result).toMatchObject({ content: [{ text: 'Hello, Alice' }] })
    expect(runs).toHaveBeenCalledTimes(1)
    const plain = await callerOf(server, { elicitation: { form: {} } }).result('tools/call', {
      name: 'first',
      inputResponses: {},
    })
    expect(plain).toMatchObject({ resultType: 'input_required' })
  })
})
