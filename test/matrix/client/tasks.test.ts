import { type Client, connect } from 'portcall/client'
import type { JsonObject } from 'portcall/jsonrpc'
import { type ClientTasks, type ClientTasksOptions, type TaskHandle, tasks } from 'portcall/tasks/client'
import { expect, onTestFinished, test, vi } from 'vitest'
import { until } from '../matrix.ts'
import { callText, clientMatrix, type Gap, HELPFUL, journalWith, openPeer, type Peer, watch } from './clients.ts'
import { type ClientPlace, httpStage } from './stages.ts'

const NO_TASKS: Gap = { where: ({ revision }) => revision < '2025-11-25', reason: 'no tasks before 2025-11-25' }
const KNOWN: Gap = { where: ({ revision }) => revision >= '2025-11-25', reason: 'there are tasks from 2025-11-25 on' }

interface TasksPeer extends Peer {
  readonly client: Client & { readonly tasks: ClientTasks }
}

async function openTasks(place: ClientPlace, options: ClientTasksOptions = {}): Promise<TasksPeer> {
  return (await openPeer(place, { ...HELPFUL, extensions: [tasks(options)] })) as TasksPeer
}

const begin = async ({ client }: TasksPeer, name: string, args: JsonObject = {}): Promise<TaskHandle> =>
  (await client.tasks.start(name, args)) as TaskHandle
const calls = (messages: JsonObject[]): JsonObject[] => messages.map(({ params }) => params as JsonObject)

clientMatrix('tasks', (it) => {
  it(
    'TSKX-001 TSKX-004 TSKL-003 TSKL-004 TSKL-005 a call becomes a task where the tool says so, and resolves to its result',
    async (_, place) => {
      const peer = await openTasks(place)
      const seen = watch(peer)
      expect(await callText(peer, 'task_greets', { name: 'Ada' })).toBe('Hello, Ada')
      expect(await callText(peer, 'echo', { text: 'plain' })).toBe('plain')
      expect(seen.sent('tasks/get').length).toBeGreaterThan(0)
      const wished = calls(seen.sent('tools/call')).map(({ name, task }) => [name, task])
      const wish = place.revision === '2025-11-25' ? {} : undefined
      expect(wished).toEqual([
        ['task_greets', wish],
        ['echo', undefined],
      ])
    },
    NO_TASKS,
  )

  it(
    'TSKL-001 TSKL-007 where there are no tasks a call is answered in line, and nothing is said of tasks',
    async (_, place) => {
      const peer = await openTasks(place)
      const seen = watch(peer)
      expect(await callText(peer, 'task_greets', { name: 'Ada' })).toBe('Hello, Ada')
      expect(await callText(peer, 'task_only')).toBe('done')
      expect(seen.sent().flatMap(({ id, method }) => (id === undefined ? [] : [method]))).toEqual(['tools/call', 'tools/call'])
    },
    KNOWN,
  )

  it(
    'TSKX-017 TSKX-020 TSKL-020 what a task asks is answered, each question once',
    async (_, place) => {
      const elicit = vi.fn(HELPFUL.elicit)
      const peer = (await openPeer(place, { ...HELPFUL, elicit, extensions: [tasks()] })) as TasksPeer
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
    'TSKX-012 TSKX-021 TSKX-022 a handle shows what is asked, and takes answers',
    async (_, place) => {
      const peer = await openTasks(place)
      const handle = await begin(peer, 'task_asks')
      const [key] = await openQuestions(handle)
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
    'TSKX-013 TSKL-016 TSKL-026 a result that is an error is a result, an error is thrown',
    async (_, place) => {
      const peer = await openTasks(place)
      const failed = await begin(peer, 'task_fails')
      expect(await failed.result()).toMatchObject({ isError: true, content: [{ text: 'It went wrong' }] })
      expect(await failed.get()).toMatchObject({ status: 'completed', ttlMs: expect.any(Number) as number })
      const error = { code: -32000, message: 'It cannot be done', data: { why: 'broken' } }
      await expect(peer.client.callTool('task_breaks')).rejects.toMatchObject(error)
      const broken = await begin(peer, 'task_breaks')
      await expect(broken.result()).rejects.toMatchObject(error)
      expect(await broken.get()).toMatchObject({ status: 'failed', error, statusMessage: 'It cannot be done' })
    },
    NO_TASKS,
  )

  it(
    'TSKX-025 TSKX-026 TSKL-023 giving up a call cancels its task; cancelling one that has ended is no error',
    async (_, place) => {
      const peer = await openTasks(place)
      const giving = new AbortController()
      const messages: unknown[] = []
      const onProgress = ({ message }: { message?: string }): void => {
        messages.push(message)
        giving.abort(new Error('enough'))
      }
      await expect(peer.client.callTool('task_waits', {}, { signal: giving.signal, onProgress })).rejects.toThrow('enough')
      expect(messages).toEqual(['Waiting for the end'])
      await journalWith(peer, 'aborted')
      const done = await begin(peer, 'task_greets', { name: 'Ada' })
      await done.result()
      await done.cancel()
      expect((await done.get()).status).toBe('completed')
      const waiting = await begin(peer, 'task_waits')
      await waiting.cancel()
      await expect(waiting.result()).rejects.toMatchObject({ code: 'TASK_CANCELLED' })
    },
    NO_TASKS,
  )

  it(
    'TSKX-027 changes are heard of by subscription',
    async (_, place) => {
      const peer = await openTasks(place, { listen: true })
      const seen = watch(peer)
      expect(await callText(peer, 'task_asks')).toBe('Ada and Ada')
      expect(await callText(peer, 'task_only')).toBe('done')
      const told = place.revision === '2025-11-25' ? 'notifications/tasks/status' : 'notifications/tasks'
      if (place.transport !== 'exchange') expect(seen.received(told).length).toBeGreaterThan(0)
    },
    NO_TASKS,
  )

  it(
    'TSKX-023 TSKX-034 TSKL-022 TSKL-025 what is no task is an error, and lists are only asked for where there are any',
    async (_, place) => {
      const peer = await openTasks(place)
      const seen = watch(peer)
      const nothing = peer.client.tasks.open('nothing')
      await expect(nothing.get()).rejects.toMatchObject({ code: -32602 })
      await expect(nothing.cancel()).rejects.toMatchObject({ code: -32602 })
      const update = peer.client.request('tasks/update', { taskId: 'nothing', inputResponses: {} })
      await expect(update).rejects.toMatchObject({ code: -32602 })
      await expect(peer.client.tasks.list().toArray()).rejects.toMatchObject({ code: -32601 })
      expect(seen.sent('tasks/list')).toEqual([])
    },
    NO_TASKS,
  )
})

test.each(['2025-11-25', '2026-07-28'])('TSKX-015 a task is found again by another client · %s', async (revision) => {
  const { target, close } = await httpStage()
  onTestFinished(close)
  const options = { ...HELPFUL, extensions: [tasks()], revision }
  const client = await connect(target, options)
  const { taskId } = (await client.tasks.start('task_asks')) as TaskHandle
  await client.close()
  const again = await connect(target, options)
  onTestFinished(() => again.close())
  expect((await again.tasks.open(taskId).result()).content).toEqual([{ type: 'text', text: 'Ada and Ada' }])
})

/** The keys of what a task asks, as soon as it does. */
async function openQuestions(handle: TaskHandle): Promise<string[]> {
  let keys: string[] = []
  await until(async () => {
    const task = await handle.get()
    keys = task.status === 'input_required' ? Object.keys(task.inputRequests) : []
    return keys.length > 0
  })
  return keys
}
