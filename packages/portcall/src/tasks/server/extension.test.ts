import { afterEach, describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { callerOf } from '../../../test-kit/server.ts'
import { waitForStatus } from '../../../test-kit/tasks/until.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { TASKS_EXTENSION } from '../../protocol/tasks.ts'
import { createServer } from '../../server/server.ts'
import { StoreUnavailableError } from '../../stores/errors.ts'
import { memoryStores } from '../../stores/memory/memory.ts'
import { detach } from './detach.ts'
import { type TasksOptions, tasks } from './extension.ts'

const CAPABILITIES = { elicitation: { form: {} }, extensions: { [TASKS_EXTENSION]: {} } }
const name = z.object({ name: z.string() })
const accept = (content: JsonObject): JsonObject => ({ action: 'accept', content })

const servers: { close(): void }[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

function serverWith(options: TasksOptions = {}) {
  const { store, bus } = memoryStores()
  const server = createServer({ name: 'tasks', version: '1' }, { extensions: [tasks({ store, bus, ...options })], onEvent() {} })
  servers.push(server)
  return server
}

describe('tasks', () => {
  it('reports to the caller that the store is unavailable', async () => {
    const unavailable = async (): Promise<never> => {
      throw new StoreUnavailableError('Redis cannot be reached')
    }
    const server = serverWith({ store: { ...memoryStores().store, get: unavailable } })
    const response = await callerOf(server, CAPABILITIES).request('tasks/get', { taskId: 'x' })
    expect(response).toMatchObject({
      error: { code: -32603, message: expect.stringMatching(/^The store is unavailable/), data: { retryAfterMs: 1000 } },
    })
    expect(JSON.stringify(response)).not.toContain('Redis')
  })

  it('TSKX-001 TSKX-002 TSKX-008 TSKX-009 TSKX-010 TSKX-012 a call becomes a task, which completes with its result', async () => {
    const server = serverWith()
    server.tool('work', { task: 'optional', input: name }, ({ name }) => `Hello, ${name}`)
    const caller = callerOf(server, CAPABILITIES)
    const discovered = await caller.result('server/discover')
    expect(discovered.capabilities).toMatchObject({ extensions: { [TASKS_EXTENSION]: {} } })
    const created = await caller.result('tools/call', { name: 'work', arguments: { name: 'Ada' } })
    expect(created).toMatchObject({ resultType: 'task', status: 'working', ttlMs: 86_400_000, pollIntervalMs: 1000 })
    expect(await caller.result('tasks/get', { taskId: created.taskId })).toMatchObject({
      resultType: 'complete',
      taskId: created.taskId,
    })
    const done = await waitForStatus(caller, created.taskId, 'completed')
    expect(done.result).toMatchObject({ content: [{ type: 'text', text: 'Hello, Ada' }] })
  })

  it('TSKX-003 TSKX-006 a client without the extension gets the result, or an error if the tool requires a task', async () => {
    const server = serverWith()
    server.tool('either', { task: 'optional' }, () => 'synchronous')
    server.tool('must', { task: 'required' }, () => 'never')
    const caller = callerOf(server)
    expect((await caller.result('tools/call', { name: 'either' })).content).toMatchObject([{ text: 'synchronous' }])
    expect(await caller.error('tools/call', { name: 'must' })).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } },
    })
  })

  it('TSKX-012 TSKX-017 TSKX-021 TSKX-022 a task requests input, accepts responses one by one, and continues', async () => {
    const server = serverWith()
    server.tool('ask', { task: 'required' }, async (_, call) => {
      const [a, b] = await Promise.all([call.elicit('A?', name, { key: 'a' }), call.elicit('B?', name, { key: 'b' })])
      return `${a.name} ${b.name}`
    })
    const caller = callerOf(server, CAPABILITIES)
    const { taskId } = await caller.result('tools/call', { name: 'ask' })
    const waiting = await waitForStatus(caller, taskId, 'input_required')
    expect(Object.keys(waiting.inputRequests as object)).toEqual(['a', 'b'])
    expect(
      await caller.result('tasks/update', { taskId, inputResponses: { a: accept({ name: 'Ada' }), z: accept({}) } }),
    ).toEqual({
      resultType: 'complete',
      _meta: expect.anything(),
    })
    const latest = await caller.result('tasks/get', { taskId })
    expect(Object.keys(latest.inputRequests as object)).toEqual(['b'])
    await caller.result('tasks/update', { taskId, inputResponses: { b: accept({ name: 'Bob' }) } })
    expect((await waitForStatus(caller, taskId, 'completed')).result).toMatchObject({ content: [{ text: 'Ada Bob' }] })
  })

  it('TSKX-011 requests input before it detaches, and keeps the responses', async () => {
    const server = serverWith()
    const runs = vi.fn()
    server.tool('first', { task: { support: 'optional', createAt: 'detach' } }, async (_, call) => {
      const { name: user } = await call.elicit('Who?', name, { key: 'who' })
      await call.step('note', runs)
      await detach(call)
      return `Hello, ${user}`
    })
    const caller = callerOf(server, CAPABILITIES)
    const suspended = await caller.result('tools/call', { name: 'first' })
    expect(suspended).toMatchObject({ resultType: 'input_required', inputRequests: { who: {} } })
    expect(suspended.taskId).toBeUndefined()
    const { requestState } = suspended
    const inputResponses = { who: accept({ name: 'Alice' }) }
    const created = await caller.result('tools/call', { name: 'first', inputResponses, requestState })
    expect(created).toMatchObject({ resultType: 'task' })
    expect(created.requestState).toBeUndefined()
    expect((await waitForStatus(caller, created.taskId, 'completed')).result).toMatchObject({
      content: [{ text: 'Hello, Alice' }],
    })
    expect(runs).toHaveBeenCalledTimes(1)
    expect(await caller.error('tools/call', { name: 'first', inputResponses, requestState })).toMatchObject({ code: -32602 })
    const withoutExtension = await callerOf(server, { elicitation: { form: {} } }).result('tools/call', {
      name: 'first',
      inputResponses: {},
    })
    expect(withoutExtension).toMatchObject({ resultType: 'input_required' })
  })

  it('MRTR-017 becomes one task, however often the client repeats the request', async () => {
    const server = serverWith()
    server.tool('first', { task: { support: 'optional', createAt: 'detach' } }, async (_, call) => {
      const { name: user } = await call.elicit('Who?', name, { key: 'who' })
      await detach(call)
      return `Hello, ${user}`
    })
    const caller = callerOf(server, CAPABILITIES)
    const { requestState } = await caller.result('tools/call', { name: 'first' })
    const retry = { name: 'first', inputResponses: { who: accept({ name: 'Alice' }) }, requestState }
    expect(await caller.result('tools/call', retry)).toMatchObject({ resultType: 'task' })
    expect(await caller.error('tools/call', retry)).toMatchObject({
      code: -32602,
      message: expect.stringContaining('requestState was used before'),
    })
  })

  const circular: JsonObject = {}
  circular.self = circular
  /** Values that are not JSON. */
  const NO_JSON: readonly (readonly [string, unknown])[] = [
    ['a bigint', 10n],
    ['a member that is a bigint', { id: 10n }],
    ['an object that contains itself', circular],
    ['a function', () => {}],
    ['a symbol', Symbol('s')],
    ['a map', new Map()],
  ]

  it.each(NO_JSON)('%s as the result of a step fails the step at once', async (_name, value) => {
    const errors: unknown[] = []
    const server = serverWith()
    server.tool('work', { task: 'optional' }, (_, call) =>
      call
        .step('s', () => value)
        .then(
          () => 'stored',
          (error: unknown) => {
            errors.push(error)
            throw error
          },
        ),
    )
    const caller = callerOf(server, CAPABILITIES)
    const { taskId } = await caller.result('tools/call', { name: 'work' })
    expect((await waitForStatus(caller, taskId, 'completed')).result).toMatchObject({ isError: true })
    expect(await callerOf(server).result('tools/call', { name: 'work' })).toMatchObject({ isError: true })
    const message = expect.stringMatching(/^The result of the step "s" cannot be stored, because it is not JSON: /)
    expect(errors).toEqual([expect.objectContaining({ message }), expect.objectContaining({ message })])
  })

  it('a result that is not JSON fails the task at once', async () => {
    const server = serverWith()
    server.tool('work', { task: 'required' }, () => ({ content: [], _meta: { id: 10n } }) as never)
    const caller = callerOf(server, CAPABILITIES)
    const { taskId } = await caller.result('tools/call', { name: 'work' })
    const message = expect.stringMatching(/^The result of the task cannot be stored, because it is not JSON: .*BigInt/)
    expect((await waitForStatus(caller, taskId, 'failed')).error).toMatchObject({ code: -32603, message })
  })
})
