import { join } from 'node:path'
import { createServer, type Server } from 'portcall'
import type { JsonObject } from 'portcall/jsonrpc'
import { tasks } from 'portcall/tasks'
import { tasks as clientTasks } from 'portcall/tasks/client'
import { connectPair, textOf } from 'portcall/testing'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { printed, server } from '../../examples/tasks.ts'
import { shutDown } from '../../examples/tasks-admin.ts'
import { createReports } from '../../examples/tasks-durable.ts'
import { server as bindery, done as steps } from '../../examples/tasks-input.ts'
import { server as reports } from '../../examples/tasks-report.ts'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { createDriver, type Driver } from '../support/driver.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { memoryWire } from '../support/wire-memory.ts'

const CAPABILITIES = { elicitation: { form: {} }, extensions: { 'io.modelcontextprotocol/tasks': {} } }

async function talkTo(server: Server): Promise<Driver> {
  const setup = { transport: 'memory', revision: '2026-07-28', capabilities: CAPABILITIES } as const
  const peer = await createDriver((receive) => memoryWire(server, receive), setup)
  onTestFinished(async () => {
    await peer.close()
    expect(peer.violations).toEqual([])
  })
  return peer
}

/** Polls a task until it has completed, and answers its input requests. */
async function end(peer: Driver, taskId: unknown): Promise<JsonObject> {
  return eventually(async () => {
    const { result } = await peer.request('tasks/get', { taskId })
    for (const key of Object.keys((result.inputRequests as JsonObject) ?? {})) {
      const content = { color: 'red' }
      await peer.request('tasks/update', { taskId, inputResponses: { [key]: { action: 'accept', content } } })
    }
    expect(result.status).toBe('completed')
    return result
  })
}

const call = async (peer: Driver, name: string): Promise<JsonObject> => (await peer.request('tools/call', { name })).result

test('tasks', async () => {
  const peer = await talkTo(server)
  printed.splice(0)
  const finished = await end(peer, (await call(peer, 'print')).taskId)
  expect(finished.result).toMatchObject({ content: [{ text: 'Printed 3 pages' }] })
  expect(printed.splice(0)).toEqual(['cover', 'contents', 'index'])
})

test('tasks-report', async () => {
  const client = await connectPair(reports, { extensions: [clientTasks({ listen: true })] })
  onTestFinished(() => client.close())
  const messages: unknown[] = []
  const result = await client.callTool('report', {}, { onProgress: ({ message }) => messages.push(message) })
  expect(textOf(result)).toBe('Figures of Q1\nFigures of Q2\nFigures of Q3\nFigures of Q4')
  expect(messages.length).toBeGreaterThan(0)
})

test('tasks-input', async () => {
  const peer = await talkTo(bindery)
  steps.splice(0)
  const bound = await end(peer, (await call(peer, 'bind')).taskId)
  expect(bound.result).toMatchObject({ content: [{ text: 'Bound in red' }] })
  peer.onInputRequest(() => ({ action: 'accept', content: { address: 'Oslo' } }))
  const posted = await end(peer, (await call(peer, 'post')).taskId)
  expect(posted).toMatchObject({ ttlMs: 3_600_000, result: { content: [{ text: 'Posted to Oslo' }] } })
  expect(steps.splice(0)).toEqual(['fold', 'stamp'])
})

test('tasks-durable', async () => {
  const folder = temporaryFolder()
  const file = join(folder, 'tasks.db')
  let rendered = 0
  const first = createReports(file, async () => `Report ${++rendered}`)
  const client = await connectPair(first.server, { extensions: [clientTasks()] })
  const started = await client.tasks.start('render')
  const taskId = 'taskId' in started ? started.taskId : ''
  await eventually(async () => expect((await first.server.tasks.get(taskId))?.status).toBe('completed'))
  await client.close()
  first.server.close()
  await first.stores.close()

  const second = createReports(file, async () => `Report ${++rendered}`)
  const later = await connectPair(second.server, { extensions: [clientTasks()] })
  expect(textOf(await later.tasks.open(taskId).result())).toBe('Report 1')
  await later.close()
  second.server.close()
  await second.stores.close()
})

test('tasks-admin', async () => {
  const shop = createServer({ name: 'shop', version: '1.0.0' }, { extensions: [tasks()] })
  shop.tool('wait', { task: 'required' }, async (_, call) => {
    await call.elicit('Continue?', z.object({ yes: z.boolean() }))
  })
  const peer = await talkTo(shop)
  const { taskId } = await call(peer, 'wait')
  await eventually(async () => expect((await peer.request('tasks/get', { taskId })).result.status).toBe('input_required'))
  await shutDown(shop, {})
  expect((await peer.request('tasks/get', { taskId })).result).toMatchObject({ status: 'cancelled' })
  expect((await peer.request('tools/call', { name: 'wait' })).error?.code).toBe(-32603)
})
