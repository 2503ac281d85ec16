import { describe, expect, test } from 'vitest'
import { listen, modernPost, post, writeRequest } from '../../../../test-kit/raw-connection.ts'
import { call, handshake } from '../../../../test-kit/raw-session.ts'
import { createTestCore } from '../../../../test-kit/test-core.ts'

const start = async () => {
  const core = createTestCore()
  return { core, ...(await listen(core.exchange, { legacy: 'stateless' })) }
}

describe('a stateless server', () => {
  test('answers the handshake without a session id', async () => {
    const { connect } = await start()
    const answer = await connect().send(handshake('2025-06-18')).response()
    expect(answer.json.result.protocolVersion).toBe('2025-06-18')
    expect(answer.headers).not.toHaveProperty('mcp-session-id')
    expect((await connect().send(post('{"jsonrpc":"2.0","method":"notifications/initialized"}')).response()).status).toBe(202)
  })

  test('answers each POST on its own, in the revision of its header', async () => {
    const { connect } = await start()
    const headers = { 'MCP-Protocol-Version': '2025-11-25', 'Mcp-Session-Id': 'whatever' }
    const raw = connect()
    expect((await raw.send(post(JSON.stringify(call('add', { a: 1, b: 2 })), headers)).response()).json.result).toMatchObject({
      content: [{ type: 'text', text: '3' }],
    })
    const stream = await raw.send(post(JSON.stringify(call('progress')), headers)).response()
    expect(stream.headers['content-type']).toBe('text/event-stream')
    expect(stream.body).not.toContain('id: ')
    expect(
      (
        await connect()
          .send(modernPost({ id: 1, method: 'tools/list' }))
          .response()
      ).json.result.resultType,
    ).toBe('complete')
  })

  test('accepts batches only without a version header', async () => {
    const { connect } = await start()
    const batch = JSON.stringify([call('add', {}, 1), call('add', {}, 2), { jsonrpc: '2.0', id: 3 }])
    expect((await connect().send(post(batch)).response()).json.map(({ id }: any) => id).sort()).toEqual([1, 2, 3])
    expect(
      (
        await connect()
          .send(post(batch, { 'MCP-Protocol-Version': '2025-06-18' }))
          .response()
      ).status,
    ).toBe(400)
    expect((await connect().send(post('[{"jsonrpc":"2.0","method":"x"}]')).response()).status).toBe(202)
  })

  test('cannot send requests to the client', async () => {
    const { connect } = await start()
    expect(
      (
        await connect()
          .send(post(JSON.stringify(call('ask'))))
          .response()
      ).json.error.code,
    ).toBe(-32603)
  })

  test('rejects GET, DELETE and responses', async () => {
    const { connect } = await start()
    expect(
      await connect()
        .send(writeRequest('GET', { Accept: 'text/event-stream' }))
        .response(),
    ).toMatchObject({ status: 405, headers: { allow: 'POST' } })
    expect(
      (
        await connect()
          .send(writeRequest('DELETE', { 'Mcp-Session-Id': 'x' }))
          .response()
      ).status,
    ).toBe(405)
    expect((await connect().send(post('{"jsonrpc":"2.0","id":1,"result":{}}')).response()).status).toBe(400)
  })

  test('reports an internal error if the exchange rejects', async () => {
    const { connect } = await listen(() => Promise.reject(new Error('secret')), { legacy: 'stateless' })
    expect(
      (
        await connect()
          .send(post(JSON.stringify(call('add'))))
          .response()
      ).json,
    ).toMatchObject({ id: 1, error: { code: -32603, message: 'Internal error' } })
  })
})
