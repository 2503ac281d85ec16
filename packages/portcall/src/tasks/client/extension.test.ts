import { afterEach, describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { eventually } from '../../../test-kit/eventually.ts'
import { connect } from '../../connect/connect.ts'
import { ConnectionLostError } from '../../jsonrpc/errors.ts'
import { createServer } from '../../server/server.ts'
import { detach } from '../server/detach.ts'
import { tasks as serverTasks } from '../server/extension.ts'
import type { TaskLimits } from '../server/limits.ts'
import { tasks } from './extension.ts'
import { TaskCancelledError, type TaskHandle } from './handle.ts'

const Name = z.object({ name: z.string() })
const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

function createTasksServer(limits: Partial<TaskLimits> = {}) {
  const server = createServer(
    { name: 'tasks', version: '1' },
    {
      extensions: [serverTasks({ limits: { pollIntervalMs: 20, statusMessageIntervalMs: 1, ...limits } })],
      onEvent() {},
    },
  )
  server.tool('greet', { task: 'required' }, async (_, call) => {
    call.progress(1, 2, 'Asking')
    const { name } = await call.elicit('Who?', Name)
    return `Hello, ${name}`
  })
  server.tool('breaks', { task: 'required' }, () => {
    throw new Error('hidden')
  })
  server.tool(
    'waits',
    { task: 'required' },
    (_, call) => new Promise<string>((resolve) => call.signal.addEventListener('abort', () => resolve('aborted'))),
  )
  server.tool('quick', {}, () => 'at once')
  server.tool('first', { task: { support: 'optional', createAt: 'detach' } }, async (_, call) => {
    const { name } = await call.elicit('Who?', Name)
    await detach(call)
    return `Hello, ${name}`
  })
  closing.push(() => server.close())
  return server
}

async function clientOf(server: ReturnType<typeof createTasksServer>, listen = false) {
  const elicit = vi.fn(() => ({ action: 'accept' as const, content: { name: 'Ada' } }))
  const client = await connect(server, { elicit, extensions: [tasks({ listen })] })
  closing.push(() => client.close())
  return { client, elicit }
}

describe('tasks of a client', () => {
  it.each([false, true])(
    'TSKX-004 TSKX-015 TSKX-017 TSKX-020 callTool waits for a task and answers its input requests once (listen: %s)',
    async (listen) => {
      const { client, elicit } = await clientOf(createTasksServer(), listen)
      expect((await client.callTool('greet')).content).toEqual([{ type: 'text', text: 'Hello, Ada' }])
      expect(elicit).toHaveBeenCalledTimes(1)
      expect((await client.callTool('first')).content).toEqual([{ type: 'text', text: 'Hello, Ada' }])
      expect((await client.callTool('quick')).content).toEqual([{ type: 'text', text: 'at once' }])
      expect(await client.callTool('breaks')).toMatchObject({ isError: true })
    },
  )

  it('TSKX-015 a task can be opened again by its id, also by another client', async () => {
    const server = createTasksServer()
    const { client } = await clientOf(server)
    const started = (await client.tasks.start('greet')) as TaskHandle
    await client.close()
    const { client: later } = await clientOf(server)
    expect((await later.tasks.open(started.taskId).result()).content).toEqual([{ type: 'text', text: 'Hello, Ada' }])
    expect(await later.tasks.start('quick')).toMatchObject({ content: [{ text: 'at once' }] })
    await expect(later.tasks.open('nothing').get()).rejects.toMatchObject({ code: -32602 })
  })

  it('TSKX-024 TSKX-025 TSKX-026 aborting a call cancels its task; waiting for a cancelled task rejects', async () => {
    const server = createTasksServer()
    const { client } = await clientOf(server)
    const controller = new AbortController()
    const call = client.callTool('waits', {}, { signal: controller.signal })
    await eventually(async () => expect(await server.tasks.list()).toMatchObject([{ status: 'working' }]))
    controller.abort(new Error('enough'))
    await expect(call).rejects.toThrow('enough')
    await eventually(async () => expect(await server.tasks.list()).toMatchObject([{ status: 'cancelled' }]))
    const waiting = (await client.tasks.start('waits')) as TaskHandle
    const result = waiting.result()
    await waiting.cancel()
    await expect(result).rejects.toBeInstanceOf(TaskCancelledError)
  })

  it('stops waiting when the client is closed, whatever the poll interval', async () => {
    const server = createTasksServer({ pollIntervalMs: 60_000 })
    const { client } = await clientOf(server)
    const call = client.callTool('waits')
    await eventually(async () => expect(await server.tasks.list()).toMatchObject([{ status: 'working' }]))
    const closed = expect(call).rejects.toMatchObject({ code: 'CLIENT_CLOSED' })
    await client.close()
    await closed
  })

  it('continues after the server was unreachable for a while', async () => {
    const { client } = await clientOf(createTasksServer())
    let polls = 0
    client.use(async (request, context, next) => {
      if (request.method === 'tasks/get' && polls++ < 1) throw new ConnectionLostError()
      return next(request, context)
    })
    expect((await client.callTool('greet')).content).toEqual([{ type: 'text', text: 'Hello, Ada' }])
    expect(polls).toBeGreaterThan(1)
  })

  it('aborts the handler of an input request that is no longer pending', async () => {
    const server = createTasksServer()
    const client = await connect(server, {
      elicit: (_request, { signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
      extensions: [tasks()],
    })
    closing.push(() => client.close())
    const call = client.callTool('greet')
    const waiting = await eventually(async () => {
      const [task] = await server.tasks.list()
      if (task?.status !== 'input_required') throw new Error(`The task is ${task?.status}`)
      return task
    })
    const cancelled = expect(call).rejects.toBeInstanceOf(TaskCancelledError)
    await server.tasks.cancel(waiting.taskId)
    await cancelled
  })

  it('TSKX-002 a server that is shutting down creates no tasks and rejects calls that require one', async () => {
    const server = createTasksServer()
    server.tool('either', { task: 'optional' }, () => 'synchronous')
    const { client } = await clientOf(server)
    await server.tasks.stop()
    expect((await client.callTool('either')).content).toEqual([{ type: 'text', text: 'synchronous' }])
    await expect(client.callTool('greet')).rejects.toThrow('The server is shutting down and does not accept new tasks')
  })
})
