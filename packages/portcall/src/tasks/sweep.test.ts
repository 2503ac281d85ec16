import { expect, it, onTestFinished, vi } from 'vitest'
import { eventually } from '../../test-kit/eventually.ts'
import { createServer } from '../index.ts'
import { TASKS_EXTENSION } from '../protocol/tasks.ts'
import { callerOf } from '../server/server.test-kit.ts'
import { memory } from '../stores/memory.ts'
import { StoreUnavailable } from '../stores/unavailable.ts'
import type { TaskEngine } from './engine.ts'
import { tasks } from './extension.ts'
import { createStoreEngine } from './store-engine.ts'

it('a task that the engine has lost comes to its end for somebody who only listens', async () => {
  const { store, bus } = memory()
  const engine = createStoreEngine({ store, bus })
  const add = vi.fn<TaskEngine['add']>(engine.add).mockResolvedValueOnce()
  const forgetful = { ...engine, add }
  const limits = { leaseMs: 50, sweepMs: 50 }
  const server = createServer(
    { name: 'forgetful', version: '1' },
    { extensions: [tasks({ store, bus, engine: forgetful, limits })] },
  )
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
  expect(add).toHaveBeenCalledTimes(2)
})

it('a task is told of while its engine is away, and comes to its end when that is back', async () => {
  const { store, bus } = memory()
  const engine = createStoreEngine({ store, bus })
  let isAway = true
  const add = vi.fn<TaskEngine['add']>(async (...given) => {
    if (isAway) throw new StoreUnavailable('The engine is away')
    await engine.add(...given)
  })
  const limits = { leaseMs: 10, sweepMs: 3_600_000 }
  const server = createServer(
    { name: 'away', version: '1' },
    { extensions: [tasks({ store, bus, engine: { ...engine, add }, limits })], onEvent() {} },
  )
  onTestFinished(() => server.close())
  server.tool('work', { task: 'required' }, () => 'done')
  const caller = callerOf(server, { extensions: { [TASKS_EXTENSION]: {} } })
  const { taskId } = await caller.result('tools/call', { name: 'work' })
  await eventually(async () => {
    const asked = add.mock.calls.length
    expect(await caller.result('tasks/get', { taskId })).toMatchObject({ status: 'working' })
    expect(add.mock.calls.length).toBeGreaterThan(Math.max(1, asked))
  })
  isAway = false
  await eventually(async () => expect(await caller.result('tasks/get', { taskId })).toMatchObject({ status: 'completed' }))
})
