import { describe, expect, test } from 'vitest'
import { createTestCore } from '../../../test-kit/core.ts'
import { call, handshake } from '../../../test-kit/legacy.ts'
import { listen, modern, post, write } from '../../../test-kit/raw.ts'

const site = async () => {
  const core = createTestCore()
  return { core, ...(await listen(core.exchange, { legacy: 'stateless' })) }
}

describe('a stateless server', () => {
  test('shakes hands and forgets', async () => {
    const { connect } = await site()
    const answer = await connect().send(handshake('2025-06-18')).answer()
    expect(answer.json.result.protocolVersion).toBe('2025-06-18')
    expect(answer.headers).not.toHaveProperty('mcp-session-id')
    expect((await connect().send(post('{"jsonrpc":"2.0","method":"notifications/initialized"}')).answer()).status).toBe(202)
  })

  test('answers each POST by itself, in the revision of its header', async () => {
    const { connect } = await site()
    const headers = { 'MCP-Protocol-Version': '2025-11-25', 'Mcp-Session-Id': 'whatever' }
    const raw = connect()
    expect((await raw.send(post(JSON.stringify(call('add', { a: 1, b: 2 })), headers)).answer()).json.result).toMatchObject({
      content: [{ type: 'text', text: '3' }],
    })
    const stream = await raw.send(post(JSON.stringify(call('progress')), headers)).answer()
    expect(stream.headers['content-type']).toBe('text/event-stream')
    expect(stream.body).not.toContain('id: ')
    expect(
      (
        await connect()
          .send(modern({ id: 1, method: 'tools/list' }))
          .answer()
      ).json.result.resultType,
    ).toBe('complete')
  })

  test('has batches for those who say no version, and not for the others', async () => {
    const { connect } = await site()
    const batch = JSON.stringify([call('add', {}, 1), call('add', {}, 2), { jsonrpc: '2.0', id: 3 }])
    expect((await connect().send(post(batch)).answer()).json.map(({ id }: any) => id).sort()).toEqual([1, 2, 3])
    expect(
      (
        await connect()
          .send(post(batch, { 'MCP-Protocol-Version': '2025-06-18' }))
          .answer()
      ).status,
    ).toBe(400)
    expect((await connect().send(post('[{"jsonrpc":"2.0","method":"x"}]')).answer()).status).toBe(202)
  })

  test('cannot ask', async () => {
    const { connect } = await site()
    expect(
      (
        await connect()
          .send(post(JSON.stringify(call('ask'))))
          .answer()
      ).json.error.code,
    ).toBe(-32603)
  })

  test('has no GET, no DELETE, and takes no responses', async () => {
    const { connect } = await site()
    expect(
      await connect()
        .send(write('GET', { Accept: 'text/event-stream' }))
        .answer(),
    ).toMatchObject({ status: 405, headers: { allow: 'POST' } })
    expect(
      (
        await connect()
          .send(write('DELETE', { 'Mcp-Session-Id': 'x' }))
          .answer()
      ).status,
    ).toBe(405)
    expect((await connect().send(post('{"jsonrpc":"2.0","id":1,"result":{}}')).answer()).status).toBe(400)
  })

  test('answers what fails inside', async () => {
    const { connect } = await listen(() => Promise.reject(new Error('secret')), { legacy: 'stateless' })
    expect(
      (
        await connect()
          .send(post(JSON.stringify(call('add'))))
          .answer()
      ).json,
    ).toMatchObject({ id: 1, error: { code: -32603, message: 'Internal error' } })
  })
})
