import { expect, it, onTestFinished, vi } from 'vitest'
import { eventually } from '../../../test-kit/eventually.ts'
import { callerOf } from '../../../test-kit/server.ts'
import { TASKS_EXTENSION } from '../../protocol/tasks.ts'
import { createServer } from '../../server/server.ts'
import { StoreUnavailableError } from '../../stores/errors.ts'
import { memoryStores } from '../../stores/memory/memory.ts'
import type { TaskQueue } from '../queues/queue.ts'
import { createStoreQueue } from '../queues/store-queue.ts'
import { tasks } from '../server/extension.ts'

it('a task that the queue has lost ends while its client only listens', async () => {
  const { store, bus } = memoryStores()
  const storeQueue = createStoreQueue({ store, bus })
  const enqueue = vi.fn<TaskQueue['enqueue']>(storeQueue.enqueue).mockResolvedValueOnce()
  const lossyQueue = { ...storeQueue, enqueue }
  const limits = { leaseTtlMs: 50, sweepIntervalMs: 50 }
  const server = createServer({ name: 'lossy', version: '1' }, { extensions: [tasks({ store, bus, queue: lossyQueue, limits })] })
  onTestFinished(() => server.close())
  server.tool('work', { task: 'required' }, () => 'done')
  const caller = callerOf(server, { extensions: { [TASKS_EXTENSION]: {} } })
  const { taskId } = await caller.result('tools/call', { name: 'work' })
  const listening = new AbortController()
  onTestFinished(() => listening.abort())
  caller.request('subscriptions/listen', { notifications: { taskIds: [taskId] } }, { signal: listening.signal }).catch(() => {})
  await eventually(() =>
    expect(caller.notifications.at(-1)).toMatchObject({ method: 'notifications/tasks', params: { taskId, status: 'completed' } }),
  )
  expect(enqueue).toHaveBeenCalledTimes(2)
})

it('a task can be read while its queue is unavailable, and ends when the queue has recovered', async () => {
  const { store, bus } = memoryStores()
  const storeQueue = createStoreQueue({ store, bus })
  let isUnavailable = true
  const enqueue = vi.fn<TaskQueue['enqueue']>(async (...args) => {
    if (isUnavailable) throw new StoreUnavailableError('The queue is unavailable')
    await storeQueue.enqueue(...args)
  })
  const limits = { leaseTtlMs: 10, sweepIntervalMs: 3_600_000 }
  const server = createServer(
    { name: 'unavailable', version: '1' },
    { extensions: [tasks({ store, bus, queue: { ...storeQueue, enqueue }, limits })], onEvent() {} },
  )
  onTestFinished(() => server.close())
  server.tool('work', { task: 'required' }, () => 'done')
  const caller = callerOf(server, { extensions: { [TASKS_EXTENSION]: {} } })
  const { taskId } = await caller.result('tools/call', { name: 'work' })
  await eventually(async () => {
    const attempts = enqueue.mock.calls.length
    expect(await caller.result('tasks/get', { taskId })).toMatchObject({ status: 'working' })
    expect(enqueue.mock.calls.length).toBeGreaterThan(Math.max(1, attempts))
  })
  isUnavailable = false
  await eventually(async () => expect(await caller.result('tasks/get', { taskId })).toMatchObject({ status: 'completed' }))
})
