import { describe, expect, test } from 'vitest'
import { createTestCore } from '../../../test-kit/core.ts'
import { eventually } from '../../../test-kit/eventually.ts'
import { call } from '../../../test-kit/legacy.ts'
import { listen, post, type Raw, write } from '../../../test-kit/raw.ts'
import type { HttpOptions } from './options.ts'

const HEADERS = { Accept: 'text/event-stream' }

async function site(options: HttpOptions = {}) {
  const core = createTestCore()
  const { connect } = await listen(core.exchange, options)
  const open = async (headers: Record<string, string> = {}) => {
    const stream = connect().send(write('GET', { ...HEADERS, ...headers }, undefined, '/mcp'))
    const head = await stream.head()
    const { event, data } = await readEndpoint(stream)
    expect([head.status, event]).toEqual([200, 'endpoint'])
    const send = (message: object, more: Record<string, string> = {}) =>
      connect()
        .send(post(JSON.stringify(message), { ...headers, ...more }).replace('POST /mcp ', `POST ${data} `))
        .answer()
    return { stream, address: data, send }
  }
  return { core, connect, open }
}

async function readEndpoint(stream: Raw): Promise<{ event: string; data: string }> {
  const [, event = '', data = ''] = /event: (\S+)\ndata: (\S+)\n\n/.exec(await stream.until('\n\n\r\n')) ?? []
  return { event, data }
}

const hello = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'old', version: '1' } },
}

describe('the first transport', () => {
  test('tells where to POST, takes messages there, and answers on its stream', async () => {
    const { core, open } = await site()
    const { stream, address, send } = await open()
    expect(address).toMatch(/^\/mcp\?sessionId=[0-9a-f]{32}$/)
    expect(await send(hello)).toMatchObject({ status: 202, body: '' })
    expect((await stream.event()).json).toMatchObject({ id: 0, result: { protocolVersion: '2024-11-05' } })
    await send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    await send(call('progress', { times: 1 }, 1))
    expect((await stream.event()).json).toMatchObject({ method: 'notifications/progress' })
    expect((await stream.event()).json).toMatchObject({ id: 1, result: { content: [{ text: 'told 1' }] } })
    core.change()
    expect((await stream.event()).json).toMatchObject({ method: 'notifications/tools/list_changed' })
  })

  test('ends its session with its stream', async () => {
    const { core, open } = await site()
    const { stream, send } = await open()
    await send(hello)
    await send(call('hold'))
    await eventually(() => expect(core.running).toBe(1))
    await stream.end()
    await eventually(() => expect(core.running).toBe(0))
    expect((await send(call('add'))).status).toBe(404)
  })

  test('is cancelled by a notification', async () => {
    const { core, open } = await site()
    const { send } = await open()
    await send(hello)
    await send(call('hold', {}, 7))
    await eventually(() => expect(core.running).toBe(1))
    await send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } })
    await eventually(() => expect(core.running).toBe(0))
  })

  test('belongs to who opened it', async () => {
    const { open } = await site({ authenticate: ({ header }) => ({ principal: header('authorization') ?? 'nobody' }) })
    const { send } = await open({ Authorization: 'alice' })
    expect((await send(hello, { Authorization: 'mallory' })).status).toBe(404)
    expect((await send(hello)).status).toBe(202)
  })

  test('has ids that no other transport knows', async () => {
    const { connect, open } = await site()
    const { address } = await open()
    const id = address.split('=')[1]
    expect(
      (
        await connect()
          .send(post(JSON.stringify(call('add')), { 'Mcp-Session-Id': id }))
          .answer()
      ).status,
    ).toBe(404)
  })

  test('is not what a client of its successor gets who forgot its session', async () => {
    const { connect } = await site()
    for (const more of [{ 'MCP-Protocol-Version': '2025-06-18' }, { 'Last-Event-ID': 'a.b.c' }, { Accept: '*/*' }])
      expect(
        (
          await connect()
            .send(write('GET', { ...HEADERS, ...more }))
            .answer()
        ).status,
      ).toBe(400)
  })

  test('counts among the sessions', async () => {
    const { connect, open } = await site({ maxSessions: 1 })
    await open()
    expect((await connect().send(write('GET', HEADERS)).answer()).status).toBe(503)
  })
})
