/** State that outlives the inspector, and state that leaves it when a message is sent again. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { createMemoServer } from './fixtures/memo-server.mjs'
import { messagesOf, startEcho } from './support/echo-server.ts'
import { serveFixture } from './support/fixture-server.ts'
import { startInspector, type TestInspector } from './support/inspector.ts'

const COMMAND = join(import.meta.dirname, '../../packages/portcall/dist/cli/main.js')

test.each(['2026-07-28', '2025-11-25'])('a task of %s is usable after the inspector was restarted', async (revision) => {
  const directory = mkdtempSync(join(tmpdir(), 'portcall-inspector-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const url = await serveFixture(createMemoServer())
  const connect = async () => {
    const inspector = await startInspector({ directory })
    return { inspector, id: (await inspector.connect({ kind: 'url', url }, { revision })).id }
  }
  const before = await connect()
  const started = await before.inspector.operate(before.id, { type: 'call-tool', name: 'print', arguments: {}, asTask: true })
  const { task } = started.result ?? {}
  const { taskId } = task as { taskId: string }
  await before.inspector.inspector.close()

  const { inspector, id } = await connect()
  const tasks = async () => (await inspector.command('get-state', {})).inventories.find(({ kind }) => kind === 'tasks')?.items
  await expect.poll(tasks).toMatchObject([{ taskId, toolName: 'print' }])
  const { operationId } = await inspector.command('operate', { serverId: id, request: { type: 'task-result', taskId } })
  const question = async () => (await inspector.command('get-state', {})).questions.find(({ status }) => status === 'open')
  await expect.poll(question).toBeDefined()
  const answer = { action: 'accept', content: { color: 'blue' } } as const
  await inspector.command('answer-question', { questionId: (await question())?.id ?? '', answer })
  const { operation } = await inspector.command('wait-operation', { operationId })
  expect(operation.result).toMatchObject({ content: [{ text: 'Printed in blue' }] })
  await expect.poll(tasks).toMatchObject([{ taskId, state: { status: 'completed' } }])
})

test('an edited message that is sent again is the request of `portcall raw`', async () => {
  const { url, received } = await startEcho()
  const inspector = await startInspector()
  const { id } = await inspector.connect({ kind: 'url', url })
  const params = { depth: 2, list: [1, null], text: '"quoted" \u202e', nested: { a: {} } }
  await inspector.operate(id, { type: 'request', method: 'example/search', params })
  const words = Object.entries(params).map(([name, value]) => `${name}:=${JSON.stringify(value)}`)
  await promisify(execFile)(process.execPath, [COMMAND, 'raw', url, 'example/search', ...words])
  const [resent, raw, ...more] = messagesOf(received, 'example/search')
  expect(more).toEqual([])
  expect(resent).toEqual({ jsonrpc: '2.0', method: 'example/search', params, version: '2026-07-28' })
  expect(raw).toEqual(resent)
})

test('a repeated request is sent as often and as fast as it says', async () => {
  const { url, received } = await startEcho()
  const inspector: TestInspector = await startInspector()
  const { id } = await inspector.connect({ kind: 'url', url })
  const request = { type: 'request', method: 'example/search', params: {} } as const
  const { repeated, durationMs } = await inspector.operate(id, request, { repeat: { count: 6, perSecond: 20, concurrency: 2 } })
  expect(repeated).toMatchObject({ succeeded: 6, failed: 0 })
  expect(messagesOf(received, 'example/search')).toHaveLength(6)
  expect(durationMs).toBeGreaterThanOrEqual(249)
})
