import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../test-kit/eventually.ts'
import { RpcError } from '../jsonrpc/errors.ts'
import type { JsonObject, Request } from '../jsonrpc/message.ts'
import { RELATED_TASK, TASKS_EXTENSION } from '../protocol/tasks.ts'
import type { ClientCapabilities } from '../protocol/types.ts'
import { type Caller, callerOf } from '../server/server.test-kit.ts'
import type { Server } from '../server/surface.ts'
import { createChannelLink } from './channel-link.ts'
import { type Answer, openLegacyClient } from './client.ts'
import { type Odd, odd, type Reply } from './odd.test-kit.ts'

const KNOWS: ClientCapabilities = { elicitation: { form: {} }, extensions: { [TASKS_EXTENSION]: {} } }
const TIMES = { createdAt: '2026-01-01T00:00:00Z', lastUpdatedAt: '2026-01-01T00:00:01Z' }
const TASK = { taskId: 't', status: 'working', ttl: null, ...TIMES }
const OURS = { taskId: 't', ttlMs: null, ...TIMES }
const QUESTION = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } }
const ANSWER = { action: 'accept', content: {} }

/** A server with tasks, whose tools are what `lists` gives, page by page. */
function tasksServer(replies: { [method: string]: Reply } = {}): Odd {
  return odd({
    initialize: () => ({
      protocolVersion: '2025-11-25',
      capabilities: { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
      serverInfo: { name: 'odd', version: '1' },
    }),
    'tools/list': ({ cursor }) =>
      cursor ? { tools: [tool('long', 'optional')] } : { tools: [tool('plain'), tool('never', 'forbidden')], nextCursor: 'more' },
    'tools/call': ({ task }) => (task ? { task: TASK } : { content: [] }),
    'tasks/get': () => TASK,
    ...replies,
  })
}

const tool = (name: string, taskSupport?: string): JsonObject => ({
  name,
  inputSchema: { type: 'object' },
  ...(taskSupport && { execution: { taskSupport } }),
})

async function clientOf(server: Odd, answer: Answer = async () => ANSWER): Promise<Caller> {
  const link = createChannelLink(server.channel)
  const client = await openLegacyClient({ link, info: { name: 'tester', version: '1' }, capabilities: KNOWS, answer })
  onTestFinished(() => client.close())
  return callerOf({ exchange: client.exchange } as Server, KNOWS)
}

const callsOf = ({ received }: Odd): unknown[] =>
  (received as Request[]).flatMap(({ method, params }) => (method === 'tools/call' ? [[params?.name, params?.task]] : []))

describe('tasks of an odd server', () => {
  test('TSKL-003 TSKL-004 TSKL-005 asks for a task where the list says so, and reads the list when it has to', async () => {
    const server = tasksServer()
    const client = await clientOf(server)
    expect(await client.result('tools/call', { name: 'long' })).toMatchObject({ resultType: 'task', status: 'working', ...OURS })
    for (const name of ['plain', 'never', 'unheard'])
      expect(await client.result('tools/call', { name })).toMatchObject({ resultType: 'complete', content: [] })
    expect(callsOf(server)).toEqual([
      ['long', {}],
      ['plain', undefined],
      ['never', undefined],
      ['unheard', undefined],
    ])
    expect(server.methods().filter((method) => method === 'tools/list')).toHaveLength(2)
  })

  test('reads the list again when it has changed, or could not be read', async () => {
    let support: string | undefined
    let broken = true
    const server = tasksServer({
      'tools/list': () => {
        if (broken) throw new RpcError(-32603, 'not today')
        return { tools: [tool('long', support)] }
      },
    })
    const client = await clientOf(server)
    expect(await client.error('tools/call', { name: 'long' })).toMatchObject({ message: 'not today' })
    broken = false
    await client.result('tools/call', { name: 'long' })
    support = 'required'
    server.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
    await eventually(async () => expect((await client.result('tools/call', { name: 'long' })).resultType).toBe('task'))
  })

  test('TSKL-007 takes a result although it has asked for a task, and knows no tasks where none are declared', async () => {
    const eager = tasksServer({ 'tools/call': () => ({ content: [{ type: 'text', text: 'at once' }] }) })
    expect(await (await clientOf(eager)).result('tools/call', { name: 'long' })).toMatchObject({
      resultType: 'complete',
      content: [{ text: 'at once' }],
    })
    const without = tasksServer({
      initialize: () => ({ protocolVersion: '2025-11-25', capabilities: { tools: {}, tasks: { list: {} } } }),
    })
    const client = await clientOf(without)
    expect((await client.result('server/discover')).capabilities).toEqual({ tools: {} })
    await client.result('tools/call', { name: 'long' })
    expect(without.methods()).not.toContain('tools/list')
    expect(callsOf(without)).toEqual([['long', undefined]])
  })

  test('TSKL-016 TSKL-026 gives the end of a task as the extension has it', async () => {
    let status = 'completed'
    const server = tasksServer({
      'tasks/get': () => ({ ...TASK, status, pollInterval: 5, statusMessage: null }),
      'tasks/result': () => {
        if (status === 'failed') throw new RpcError(-32000, 'broken', { why: 1 })
        const _meta = { [RELATED_TASK]: { taskId: 't' }, mine: 1 }
        return { content: [{ text: 'no type' }], isError: true, _meta }
      },
    })
    const client = await clientOf(server)
    const result = { content: [{ type: 'text', text: 'no type' }], isError: true, resultType: 'complete', _meta: { mine: 1 } }
    expect(await client.result('tasks/get', { taskId: 't' })).toEqual({
      resultType: 'complete',
      status,
      pollIntervalMs: 5,
      result,
      ...OURS,
    })
    status = 'failed'
    expect(await client.result('tasks/get', { taskId: 't' })).toMatchObject({
      status,
      error: { code: -32000, message: 'broken', data: { why: 1 } },
    })
    status = 'cancelled'
    expect(await client.result('tasks/get', { taskId: 't' })).toMatchObject({ status })
  })

  test('TSKL-018 tells of the progress of a task as its status, while it goes on and has no other', async () => {
    let task: JsonObject = TASK
    const server = tasksServer({ 'tasks/get': () => task, 'tasks/result': () => ({ content: [] }) })
    const client = await clientOf(server)
    const report = (params: JsonObject) => server.send({ jsonrpc: '2.0', method: 'notifications/progress', params })
    const said = async () => (await client.result('tasks/get', { taskId: 't' })).statusMessage
    const _meta = { [RELATED_TASK]: { taskId: 't' } }
    expect(await said()).toBe(undefined)
    report({ progressToken: 1, progress: 3, total: 10, _meta })
    await eventually(async () => expect(await said()).toBe('3 of 10'))
    report({ progressToken: 1, progress: 4 })
    report({ progressToken: 1, progress: 4, message: 'of another', _meta: { [RELATED_TASK]: { taskId: 'x' } } })
    report({ progressToken: 1, progress: 4, message: 'halfway', _meta })
    await eventually(async () => expect(await said()).toBe('halfway'))
    task = { ...TASK, statusMessage: 'its own' }
    expect(await said()).toBe('its own')
    task = { ...TASK, status: 'completed' }
    expect(await said()).toBe(undefined)
    task = TASK
    expect(await said()).toBe(undefined)
  })

  test('TSKL-020 a question that the server asks again has another key; one that it takes back is gone', async () => {
    const server = tasksServer({
      'tasks/get': () => ({ ...TASK, status: 'input_required' }),
      'tasks/result': undefined as unknown as Reply,
    })
    const client = await clientOf(server)
    const keys = async (): Promise<string[]> =>
      Object.keys((await client.result('tasks/get', { taskId: 't' })).inputRequests as object)
    const looking = keys()
    await eventually(() => expect(server.methods()).toContain('tasks/result'))
    const params = { ...QUESTION, _meta: { [RELATED_TASK]: { taskId: 't' } } }
    const first = server.ask('elicitation/create', params, 'first')
    const [before] = await looking
    server.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'first' } })
    const second = server.ask('elicitation/create', params, 'second')
    await eventually(async () => expect(await keys()).not.toContain(before))
    const [after] = await keys()
    await client.result('tasks/update', { taskId: 't', inputResponses: { [String(before)]: {}, [String(after)]: ANSWER } })
    expect(await second).toMatchObject({ result: ANSWER })
    expect(server.methods().filter((method) => method === 'tasks/result')).toHaveLength(1)
    expect(await Promise.race([first, 'silence'])).toBe('silence')
  })

  test('TSKL-018 TSKL-031 a question of a task that nobody asks after is answered as any other', async () => {
    const server = tasksServer()
    await clientOf(server)
    const _meta = { [RELATED_TASK]: { taskId: 't' } }
    expect(await server.ask('elicitation/create', { ...QUESTION, _meta })).toMatchObject({ result: ANSWER })
  })

  test('a question that is still open when its task has ended is an error', async () => {
    const server = tasksServer({
      'tasks/get': () => ({ ...TASK, status: 'input_required' }),
      'tasks/result': undefined as unknown as Reply,
    })
    const client = await clientOf(server)
    const looking = client.result('tasks/get', { taskId: 't' })
    await eventually(() => expect(server.methods()).toContain('tasks/result'))
    const asked = server.ask('elicitation/create', { ...QUESTION, _meta: { [RELATED_TASK]: { taskId: 't' } } })
    await looking
    const { id } = (server.received as Request[]).find(({ method }) => method === 'tasks/result') as Request
    server.send({ jsonrpc: '2.0', id, result: { content: [] } })
    expect(await asked).toMatchObject({ error: { code: -32603 } })
  })

  test('TSKL-022 TSKL-023 lists tasks, and cancels those that have ended already', async () => {
    const server = tasksServer({
      'tasks/list': ({ cursor }) => (cursor ? { tasks: [] } : { tasks: [TASK, null], nextCursor: 'more' }),
      'tasks/get': ({ taskId }) => {
        if (taskId !== 't') throw new RpcError(-32602, 'no such task')
        return { ...TASK, status: 'completed' }
      },
      'tasks/cancel': () => {
        throw new RpcError(-32602, 'too late')
      },
    })
    const client = await clientOf(server)
    expect((await client.result('server/discover')).capabilities).toMatchObject({
      extensions: { [TASKS_EXTENSION]: { list: {} } },
    })
    expect(await client.result('tasks/list')).toMatchObject({ tasks: [{ status: 'working', ...OURS }], nextCursor: 'more' })
    expect(await client.result('tasks/cancel', { taskId: 't' })).toEqual({ resultType: 'complete' })
    expect(await client.error('tasks/cancel', { taskId: 'x' })).toMatchObject({ code: -32602 })
    expect(await client.error('tasks/update', { taskId: 'x', inputResponses: {} })).toMatchObject({ code: -32602 })
    expect(await client.error('tasks/update', { taskId: 't' })).toMatchObject({ code: -32602 })
  })
})
