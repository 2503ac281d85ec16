import { type Client, connect } from 'portcall/client'
import type { JsonObject } from 'portcall/jsonrpc'
import { type ClientTasks, type ClientTasksOptions, type TaskHandle, tasks } from 'portcall/tasks/client'
import { expect, onTestFinished, test, vi } from 'vitest'
import { until } from '../matrix.ts'
import { callText, clientMatrix, type Gap, INPUT_HANDLERS, journalWith, openPeer, type Peer, viewWire } from './client-matrix.ts'
import { type ClientSetup, createHttpFixture } from './fixtures.ts'

const NO_TASKS: Gap = { where: ({ revision }) => revision < '2025-11-25', reason: 'no tasks before 2025-11-25' }
const KNOWN: Gap = { where: ({ revision }) => revision >= '2025-11-25', reason: 'tasks exist from 2025-11-25 on' }

interface TasksPeer extends Peer {
  readonly client: Client & { readonly tasks: ClientTasks }
}

async function openTasks(setup: ClientSetup, options: ClientTasksOptions = {}): Promise<TasksPeer> {
  return (await openPeer(setup, { ...INPUT_HANDLERS, extensions: [tasks(options)] })) as TasksPeer
}

const startTask = async ({ client }: TasksPeer, name: string, args: JsonObject = {}): Promise<TaskHandle> =>
  (await client.tasks.start(name, args)) as TaskHandle
const calls = (messages: JsonObject[]): JsonObject[] => messages.map(({ params }) => params as JsonObject)

clientMatrix('tasks', (it) => {
  it(
    'TSKX-001 TSKX-004 TSKL-003 TSKL-004 TSKL-005 a call becomes a task where the tool supports it, and resolves to its result',
    async (_, setup) => {
      const peer = await openTasks(setup)
      const wire = viewWire(peer)
      expect(await callText(peer, 'task_greets', { name: 'Ada' })).toBe('Hello, Ada')
      expect(await callText(peer, 'echo', { text: 'plain' })).toBe('plain')
      expect(wire.sent('tasks/get').length).toBeGreaterThan(0)
      const requested = calls(wire.sent('tools/call')).map(({ name, task }) => [name, task])
      const taskParams = setup.revision === '2025-11-25' ? {} : undefined
      expect(requested).toEqual([
        ['task_greets', taskParams],
        ['echo', undefined],
      ])
    },
    NO_TASKS,
  )

  it(
    'TSKL-001 TSKL-007 without tasks a call receives its result directly, and no task messages are sent',
    async (_, setup) => {
      const peer = await openTasks(setup)
      const wire = viewWire(peer)
      expect(await callText(peer, 'task_greets', { name: 'Ada' })).toBe('Hello, Ada')
      expect(await callText(peer, 'task_only')).toBe('done')
      expect(wire.sent().flatMap(({ id, method }) => (id === undefined ? [] : [method]))).toEqual(['tools/call', 'tools/call'])
    },
    KNOWN,
  )

  it(
    'TSKX-017 TSKX-020 TSKL-020 each input request of a task is answered once',
    async (_, setup) => {
      const elicit = vi.fn(INPUT_HANDLERS.elicit)
      const peer = (await openPeer(setup, { ...INPUT_HANDLERS, elicit, extensions: [tasks()] })) as TasksPeer
      expect(await callText(peer, 'task_asks')).toBe('Ada and Ada')
      expect(elicit.mock.calls.map(([{ message }]) => message)).toEqual(['Who are you?', 'And who is that?'])
      expect(elicit.mock.calls.map(([params]) => params)).toEqual([
        expect.not.objectContaining({ _meta: expect.anything() }),
        expect.not.objectContaining({ _meta: expect.anything() }),
      ])
    },
    NO_TASKS,
  )

  it(
    'TSKX-012 TSKX-021 TSKX-022 a handle shows the input requests and accepts responses',
    async (_, setup) => {
      const peer = await openTasks(setup)
      const handle = await startTask(peer, 'task_asks')
      const [key] = await waitForInputRequests(handle)
      const { taskId } = handle
      const inputResponses = { [String(key)]: { action: 'accept', content: { name: 'Eve' } } }
      expect(await peer.client.request('tasks/update', { taskId, inputResponses: { ...inputResponses, unknown: {} } })).toEqual({
        ...(await peer.client.request('tasks/update', { taskId, inputResponses })),
      })
      expect((await handle.result()).content).toEqual([{ type: 'text', text: 'Eve and Ada' }])
    },
    NO_TASKS,
  )

  it(
    'TSKX-013 TSKL-016 TSKL-026 an error result is returned, an error is thrown',
    async (_, setup) => {
      const peer = await openTasks(setup)
      const failed = await startTask(peer, 'task_fails')
      expect(await failed.result()).toMatchObject({ isError: true, content: [{ text: 'It went wrong' }] })
      expect(await failed.get()).toMatchObject({ status: 'completed', ttlMs: expect.any(Number) as number })
      const error = { code: -32000, message: 'It cannot be done', data: { why: 'broken' } }
      await expect(peer.client.callTool('task_breaks')).rejects.toMatchObject(error)
      const broken = await startTask(peer, 'task_breaks')
      await expect(broken.result()).rejects.toMatchObject(error)
      expect(await broken.get()).toMatchObject({ status: 'failed', error, statusMessage: 'It cannot be done' })
    },
    NO_TASKS,
  )

  it(
    'TSKX-025 TSKX-026 TSKL-023 aborting a call cancels its task; cancelling an ended task is not an error',
    async (_, setup) => {
      const peer = await openTasks(setup)
      const controller = new AbortController()
      const messages: unknown[] = []
      const onProgress = ({ message }: { message?: string }): void => {
        messages.push(message)
        controller.abort(new Error('enough'))
      }
      await expect(peer.client.callTool('task_waits', {}, { signal: controller.signal, onProgress })).rejects.toThrow('enough')
      expect(messages).toEqual(['Waiting for the end'])
      await journalWith(peer, 'aborted')
      const done = await startTask(peer, 'task_greets', { name: 'Ada' })
      await done.result()
      await done.cancel()
      expect((await done.get()).status).toBe('completed')
      const waiting = await startTask(peer, 'task_waits')
      await waiting.cancel()
      await expect(waiting.result()).rejects.toMatchObject({ code: 'TASK_CANCELLED' })
    },
    NO_TASKS,
  )

  it(
    'TSKX-027 changes arrive by subscription',
    async (_, setup) => {
      const peer = await openTasks(setup, { listen: true })
      const wire = viewWire(peer)
      expect(await callText(peer, 'task_asks')).toBe('Ada and Ada')
      expect(await callText(peer, 'task_only')).toBe('done')
      const notification = setup.revision === '2025-11-25' ? 'notifications/tasks/status' : 'notifications/tasks'
      if (setup.transport !== 'exchange') expect(wire.received(notification).length).toBeGreaterThan(0)
    },
    NO_TASKS,
  )

  it(
    'TSKX-023 TSKX-034 TSKL-022 TSKL-025 an unknown task is an error, and lists are requested only where they exist',
    async (_, setup) => {
      const peer = await openTasks(setup)
      const wire = viewWire(peer)
      const nothing = peer.client.tasks.open('nothing')
      await expect(nothing.get()).rejects.toMatchObject({ code: -32602 })
      await expect(nothing.cancel()).rejects.toMatchObject({ code: -32602 })
      const update = peer.client.request('tasks/update', { taskId: 'nothing', inputResponses: {} })
      await expect(update).rejects.toMatchObject({ code: -32602 })
      await expect(peer.client.tasks.list().toArray()).rejects.toMatchObject({ code: -32601 })
      expect(wire.sent('tasks/list')).toEqual([])
    },
    NO_TASKS,
  )
})

test.each(['2025-11-25', '2026-07-28'])('TSKX-015 another client can open a task by its id · %s', async (protocolVersion) => {
  const { target, close } = await createHttpFixture()
  onTestFinished(close)
  const options = { ...INPUT_HANDLERS, extensions: [tasks()], protocolVersion }
  const client = await connect(target, options)
  const { taskId } = (await client.tasks.start('task_asks')) as TaskHandle
  await client.close()
  const again = await connect(target, options)
  onTestFinished(() => again.close())
  expect((await again.tasks.open(taskId).result()).content).toEqual([{ type: 'text', text: 'Ada and Ada' }])
})

/** Waits until a task requires input, and returns the keys of its input requests. */
async function waitForInputRequests(handle: TaskHandle): Promise<string[]> {
  let keys: string[] = []
  await until(async () => {
    const task = await handle.get()
    keys = task.status === 'input_required' ? Object.keys(task.inputRequests) : []
    return keys.length > 0
  })
  return keys
}
