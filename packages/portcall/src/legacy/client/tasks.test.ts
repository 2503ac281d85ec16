import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../test-kit/eventually.ts'
import {
  createScriptedLegacyServer,
  type ScriptedLegacyServer,
  type ScriptedReply,
} from '../../../test-kit/legacy/scripted-server.ts'
import { type Caller, callerOf } from '../../../test-kit/server.ts'
import { RpcError } from '../../jsonrpc/errors.ts'
import type { JsonObject, Request } from '../../jsonrpc/message.ts'
import type { InputRequestHandler } from '../../protocol/input-types.ts'
import { RELATED_TASK, TASKS_EXTENSION } from '../../protocol/tasks.ts'
import type { ClientCapabilities } from '../../protocol/types.ts'
import type { Server } from '../../server/types.ts'
import { createChannelConnection } from './channel-connection.ts'
import { openLegacyClient } from './client.ts'

const CAPABILITIES: ClientCapabilities = { elicitation: { form: {} }, extensions: { [TASKS_EXTENSION]: {} } }
const TIMES = { createdAt: '2026-01-01T00:00:00Z', lastUpdatedAt: '2026-01-01T00:00:01Z' }
const TASK = { taskId: 't', status: 'working', ttl: null, ...TIMES }
const EXTENSION_TASK = { taskId: 't', ttlMs: null, ...TIMES }
const ELICITATION = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } }
const INPUT_RESPONSE = { action: 'accept', content: {} }

/** Creates a server with tasks. Its `tools/list` has two pages. */
function createTaskServer(replies: { [method: string]: ScriptedReply } = {}): ScriptedLegacyServer {
  return createScriptedLegacyServer({
    initialize: () => ({
      protocolVersion: '2025-11-25',
      capabilities: { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
      serverInfo: { name: 'scripted', version: '1' },
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

async function openCaller(
  server: ScriptedLegacyServer,
  handleInputRequest: InputRequestHandler = async () => INPUT_RESPONSE,
): Promise<Caller> {
  const connection = createChannelConnection(server.channel)
  const client = await openLegacyClient({
    connection,
    info: { name: 'tester', version: '1' },
    capabilities: CAPABILITIES,
    handleInputRequest,
  })
  onTestFinished(() => client.close())
  return callerOf({ exchange: client.exchange } as Server, CAPABILITIES)
}

const callsOf = ({ received }: ScriptedLegacyServer): unknown[] =>
  (received as Request[]).flatMap(({ method, params }) => (method === 'tools/call' ? [[params?.name, params?.task]] : []))

describe('tasks of a legacy server', () => {
  test('TSKL-003 TSKL-004 TSKL-005 a call becomes a task according to tools/list, which is fetched for unknown tools', async () => {
    const server = createTaskServer()
    const client = await openCaller(server)
    expect(await client.result('tools/call', { name: 'long' })).toMatchObject({
      resultType: 'task',
      status: 'working',
      ...EXTENSION_TASK,
    })
    for (const name of ['plain', 'never', 'unlisted'])
      expect(await client.result('tools/call', { name })).toMatchObject({ resultType: 'complete', content: [] })
    expect(callsOf(server)).toEqual([
      ['long', {}],
      ['plain', undefined],
      ['never', undefined],
      ['unlisted', undefined],
    ])
    expect(server.methods().filter((method) => method === 'tools/list')).toHaveLength(2)
  })

  test('tools/list is fetched again after it has changed or failed', async () => {
    let support: string | undefined
    let broken = true
    const server = createTaskServer({
      'tools/list': () => {
        if (broken) throw new RpcError(-32603, 'not today')
        return { tools: [tool('long', support)] }
      },
    })
    const client = await openCaller(server)
    expect(await client.error('tools/call', { name: 'long' })).toMatchObject({ message: 'not today' })
    broken = false
    await client.result('tools/call', { name: 'long' })
    support = 'required'
    server.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
    await eventually(async () => expect((await client.result('tools/call', { name: 'long' })).resultType).toBe('task'))
  })

  test('TSKL-007 a result is accepted in place of a task, and no task is requested unless the server declares tasks', async () => {
    const synchronous = createTaskServer({ 'tools/call': () => ({ content: [{ type: 'text', text: 'at once' }] }) })
    expect(await (await openCaller(synchronous)).result('tools/call', { name: 'long' })).toMatchObject({
      resultType: 'complete',
      content: [{ text: 'at once' }],
    })
    const without = createTaskServer({
      initialize: () => ({ protocolVersion: '2025-11-25', capabilities: { tools: {}, tasks: { list: {} } } }),
    })
    const client = await openCaller(without)
    expect((await client.result('server/discover')).capabilities).toEqual({ tools: {} })
    await client.result('tools/call', { name: 'long' })
    expect(without.methods()).not.toContain('tools/list')
    expect(callsOf(without)).toEqual([['long', undefined]])
  })

  test('TSKL-016 TSKL-026 a finished task has its result or error', async () => {
    let status = 'completed'
    const server = createTaskServer({
      'tasks/get': () => ({ ...TASK, status, pollInterval: 5, statusMessage: null }),
      'tasks/result': () => {
        if (status === 'failed') throw new RpcError(-32000, 'broken', { why: 1 })
        const _meta = { [RELATED_TASK]: { taskId: 't' }, mine: 1 }
        return { content: [{ text: 'no type' }], isError: true, _meta }
      },
    })
    const client = await openCaller(server)
    const result = { content: [{ type: 'text', text: 'no type' }], isError: true, resultType: 'complete', _meta: { mine: 1 } }
    expect(await client.result('tasks/get', { taskId: 't' })).toEqual({
      resultType: 'complete',
      status,
      pollIntervalMs: 5,
      result,
      ...EXTENSION_TASK,
    })
    status = 'failed'
    expect(await client.result('tasks/get', { taskId: 't' })).toMatchObject({
      status,
      error: { code: -32000, message: 'broken', data: { why: 1 } },
    })
    status = 'cancelled'
    expect(await client.result('tasks/get', { taskId: 't' })).toMatchObject({ status })
  })

  test('TSKL-018 progress becomes the status message of a running task without one', async () => {
    let task: JsonObject = TASK
    const server = createTaskServer({ 'tasks/get': () => task, 'tasks/result': () => ({ content: [] }) })
    const client = await openCaller(server)
    const report = (params: JsonObject) => server.send({ jsonrpc: '2.0', method: 'notifications/progress', params })
    const statusMessage = async () => (await client.result('tasks/get', { taskId: 't' })).statusMessage
    const _meta = { [RELATED_TASK]: { taskId: 't' } }
    expect(await statusMessage()).toBe(undefined)
    report({ progressToken: 1, progress: 3, total: 10, _meta })
    await eventually(async () => expect(await statusMessage()).toBe('3 of 10'))
    report({ progressToken: 1, progress: 4 })
    report({ progressToken: 1, progress: 4, message: 'of another', _meta: { [RELATED_TASK]: { taskId: 'x' } } })
    report({ progressToken: 1, progress: 4, message: 'halfway', _meta })
    await eventually(async () => expect(await statusMessage()).toBe('halfway'))
    task = { ...TASK, statusMessage: 'own message' }
    expect(await statusMessage()).toBe('own message')
    task = { ...TASK, status: 'completed' }
    expect(await statusMessage()).toBe(undefined)
    task = TASK
    expect(await statusMessage()).toBe(undefined)
  })

  test('TSKL-020 a repeated input request has another key; a cancelled one is removed', async () => {
    const server = createTaskServer({
      'tasks/get': () => ({ ...TASK, status: 'input_required' }),
      'tasks/result': undefined as unknown as ScriptedReply,
    })
    const client = await openCaller(server)
    const keys = async (): Promise<string[]> =>
      Object.keys((await client.result('tasks/get', { taskId: 't' })).inputRequests as object)
    const reading = keys()
    await eventually(() => expect(server.methods()).toContain('tasks/result'))
    const params = { ...ELICITATION, _meta: { [RELATED_TASK]: { taskId: 't' } } }
    const first = server.request('elicitation/create', params, 'first')
    const [before] = await reading
    server.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'first' } })
    const second = server.request('elicitation/create', params, 'second')
    await eventually(async () => expect(await keys()).not.toContain(before))
    const [after] = await keys()
    await client.result('tasks/update', {
      taskId: 't',
      inputResponses: { [String(before)]: {}, [String(after)]: INPUT_RESPONSE },
    })
    expect(await second).toMatchObject({ result: INPUT_RESPONSE })
    expect(server.methods().filter((method) => method === 'tasks/result')).toHaveLength(1)
    expect(await Promise.race([first, 'silence'])).toBe('silence')
  })

  test('TSKL-018 TSKL-031 an input request of a task that is not awaited is handled as any other', async () => {
    const server = createTaskServer()
    await openCaller(server)
    const _meta = { [RELATED_TASK]: { taskId: 't' } }
    expect(await server.request('elicitation/create', { ...ELICITATION, _meta })).toMatchObject({ result: INPUT_RESPONSE })
  })

  test('an input request fails when its task ends', async () => {
    const server = createTaskServer({
      'tasks/get': () => ({ ...TASK, status: 'input_required' }),
      'tasks/result': undefined as unknown as ScriptedReply,
    })
    const client = await openCaller(server)
    const reading = client.result('tasks/get', { taskId: 't' })
    await eventually(() => expect(server.methods()).toContain('tasks/result'))
    const response = server.request('elicitation/create', { ...ELICITATION, _meta: { [RELATED_TASK]: { taskId: 't' } } })
    await reading
    const { id } = (server.received as Request[]).find(({ method }) => method === 'tasks/result') as Request
    server.send({ jsonrpc: '2.0', id, result: { content: [] } })
    expect(await response).toMatchObject({ error: { code: -32603 } })
  })

  test('TSKL-022 TSKL-023 lists tasks, and ignores the cancellation of a finished one', async () => {
    const server = createTaskServer({
      'tasks/list': ({ cursor }) => (cursor ? { tasks: [] } : { tasks: [TASK, null], nextCursor: 'more' }),
      'tasks/get': ({ taskId }) => {
        if (taskId !== 't') throw new RpcError(-32602, 'no such task')
        return { ...TASK, status: 'completed' }
      },
      'tasks/cancel': () => {
        throw new RpcError(-32602, 'already finished')
      },
    })
    const client = await openCaller(server)
    expect((await client.result('server/discover')).capabilities).toMatchObject({
      extensions: { [TASKS_EXTENSION]: { list: {} } },
    })
    expect(await client.result('tasks/list')).toMatchObject({
      tasks: [{ status: 'working', ...EXTENSION_TASK }],
      nextCursor: 'more',
    })
    expect(await client.result('tasks/cancel', { taskId: 't' })).toEqual({ resultType: 'complete' })
    expect(await client.error('tasks/cancel', { taskId: 'x' })).toMatchObject({ code: -32602 })
    expect(await client.error('tasks/update', { taskId: 'x', inputResponses: {} })).toMatchObject({ code: -32602 })
    expect(await client.error('tasks/update', { taskId: 't' })).toMatchObject({ code: -32602 })
  })
})
