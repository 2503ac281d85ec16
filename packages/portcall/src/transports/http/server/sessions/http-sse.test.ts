import { describe, expect, test } from 'vitest'
import { eventually } from '../../../../../test-kit/eventually.ts'
import { listen, post, type RawConnection, writeRequest } from '../../../../../test-kit/raw-connection.ts'
import { call } from '../../../../../test-kit/raw-session.ts'
import { createTestCore } from '../../../../../test-kit/test-core.ts'
import type { HttpOptions } from '../options.ts'

const HEADERS = { Accept: 'text/event-stream' }

async function startServer(options: HttpOptions = {}) {
  const core = createTestCore()
  const { connect } = await listen(core.exchange, options)
  const open = async (headers: Record<string, string> = {}) => {
    const stream = connect().send(writeRequest('GET', { ...HEADERS, ...headers }, undefined, '/mcp'))
    const head = await stream.head()
    const { event, data } = await readEndpoint(stream)
    expect([head.status, event]).toEqual([200, 'endpoint'])
    const send = (message: object, more: Record<string, string> = {}) =>
      connect()
        .send(post(JSON.stringify(message), { ...headers, ...more }).replace('POST /mcp ', `POST ${data} `))
        .response()
    return { stream, address: data, send }
  }
  return { core, connect, open }
}

async function readEndpoint(stream: RawConnection): Promise<{ event: string; data: string }> {
  const [, event = '', data = ''] = /event: (\S+)\ndata: (\S+)\n\n/.exec(await stream.until('\n\n\r\n')) ?? []
  return { event, data }
}

const handshake = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'old', version: '1' } },
}

describe('the HTTP+SSE transport', () => {
  test('sends the address for POST requests and answers them on its stream', async () => {
    const { core, open } = await startServer()
    const { stream, address, send } = await open()
    expect(address).toMatch(/^\/mcp\?sessionId=[\w-]{22}$/)
    expect(await send(handshake)).toMatchObject({ status: 202, body: '' })
    expect((await stream.event()).json).toMatchObject({ id: 0, result: { protocolVersion: '2024-11-05' } })
    await send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    await send(call('progress', { times: 1 }, 1))
    expect((await stream.event()).json).toMatchObject({ method: 'notifications/progress' })
    expect((await stream.event()).json).toMatchObject({ id: 1, result: { content: [{ text: 'sent 1' }] } })
    core.notifyChange()
    expect((await stream.event()).json).toMatchObject({ method: 'notifications/tools/list_changed' })
  })

  test('ends the session with the stream', async () => {
    const { core, open } = await startServer()
    const { stream, send } = await open()
    await send(handshake)
    await send(call('hold'))
    await eventually(() => expect(core.running).toBe(1))
    await stream.close()
    await eventually(() => expect(core.running).toBe(0))
    expect((await send(call('add'))).status).toBe(404)
  })

  test('cancels a request on a notification', async () => {
    const { core, open } = await startServer()
    const { send } = await open()
    await send(handshake)
    await send(call('hold', {}, 7))
    await eventually(() => expect(core.running).toBe(1))
    await send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } })
    await eventually(() => expect(core.running).toBe(0))
  })

  test('refuses messages of another principal', async () => {
    const { open } = await startServer({ authenticate: ({ header }) => ({ principal: header('authorization') ?? 'nobody' }) })
    const { send } = await open({ Authorization: 'alice' })
    expect((await send(handshake, { Authorization: 'mallory' })).status).toBe(404)
    expect((await send(handshake)).status).toBe(202)
  })

  test('has session ids that are unknown to Streamable HTTP', async () => {
    const { connect, open } = await startServer()
    const { address } = await open()
    const id = address.split('=')[1]
    expect(
      (
        await connect()
          .send(post(JSON.stringify(call('add')), { 'Mcp-Session-Id': id }))
          .response()
      ).status,
    ).toBe(404)
  })

  test('is not selected for Streamable HTTP clients that sent no session id', async () => {
    const { connect } = await startServer()
    for (const more of [{ 'MCP-Protocol-Version': '2025-06-18' }, { 'Last-Event-ID': 'a.b.c' }, { Accept: '*/*' }])
      expect(
        (
          await connect()
            .send(writeRequest('GET', { ...HEADERS, ...more }))
            .response()
        ).status,
      ).toBe(400)
  })

  test('counts towards the limit of sessions', async () => {
    const { connect, open } = await startServer({ maxSessions: 1 })
    await open()
    expect((await connect().send(writeRequest('GET', HEADERS)).response()).status).toBe(503)
  })
})
