import { describe, expect, test, vi } from 'vitest'
import { listen, modernPost, post, writeRequest } from '../../../../test-kit/raw-connection.ts'
import { call, openSession } from '../../../../test-kit/raw-session.ts'
import { createTestCore } from '../../../../test-kit/test-core.ts'
import { insufficientScope } from '../../../protocol/errors.ts'
import type { OnRequest } from '../../../protocol/http.ts'
import { createFetchHandler } from './fetch.ts'
import type { HttpOptions } from './options.ts'

const add = { id: 1, method: 'tools/call', params: { name: 'add', arguments: { a: 1, b: 2 } } }

const onRequest: OnRequest = async (request) => {
  if (request.target === '/hello')
    return { status: 200, headers: { 'content-type': 'text/plain' }, body: `hello ${request.method}` }
  if (request.target !== '/echo') return undefined
  const body = await request.readBody()
  return { status: 201, headers: { 'cache-control': 'max-age=60' }, body: 'text' in body ? body.text : 'parsed' }
}

describe('onRequest', () => {
  test('answers other paths, without authentication', async () => {
    const authenticate = vi.fn()
    const { connect } = await listen(createTestCore().exchange, { path: '/mcp', onRequest, authenticate })
    const hello = await connect()
      .send(writeRequest('GET', {}, undefined, '/hello'))
      .response()
    expect(hello).toMatchObject({ status: 200, body: 'hello GET', headers: { 'cache-control': 'no-store' } })
    const echo = await connect()
      .send(writeRequest('POST', {}, 'a=b', '/echo'))
      .response()
    expect(echo).toMatchObject({ status: 201, body: 'a=b', headers: { 'cache-control': 'max-age=60' } })
    expect(authenticate).not.toHaveBeenCalled()
    expect((await connect().send(modernPost(add)).response()).json.result.content[0].text).toBe('3')
    expect(
      (
        await connect()
          .send(writeRequest('GET', {}, undefined, '/other'))
          .response()
      ).status,
    ).toBe(404)
  })

  test('answers web requests too', async () => {
    const handler = createFetchHandler(createTestCore().exchange, { path: '/mcp', onRequest })
    const answer = await handler(new Request('http://localhost/echo', { method: 'POST', body: 'a=b' }))
    expect([answer.status, await answer.text()]).toEqual([201, 'a=b'])
    expect((await handler(new Request('http://localhost/other'))).status).toBe(404)
  })

  test('runs after the host check, and within the limits', async () => {
    const { connect } = await listen(createTestCore().exchange, { onRequest, maxBodyBytes: 10 })
    const foreign = writeRequest('GET', { Host: 'evil.example' }, undefined, '/hello')
    expect((await connect().send(foreign).response()).status).toBe(403)
    expect(
      (
        await connect()
          .send(writeRequest('POST', {}, 'x'.repeat(11), '/echo'))
          .response()
      ).status,
    ).toBe(413)
  })
})

describe('a caller without the required scopes', () => {
  const options: HttpOptions = {
    authenticate: () => ({ principal: 'ann', scopes: ['read'] }),
    insufficientScopeHeaders: (scopes, auth) => ({
      'www-authenticate': `Bearer scope="${[...(auth?.scopes ?? []), ...scopes].join(' ')}"`,
    }),
  }
  const exchange = createTestCore().exchange
  const requireWrite =
    (name: string): typeof exchange =>
    (request, context) =>
      request.params?.name === name
        ? Promise.resolve(insufficientScope(['write']).response(request.id))
        : exchange(request, context)
  const forbidden = {
    status: 403,
    headers: { 'www-authenticate': 'Bearer scope="read write"' },
    json: { error: { code: -32600, data: { requiredScopes: ['write'] } } },
  }

  test('gets 403 with a challenge, in both eras', async () => {
    const { connect } = await listen(requireWrite('add'), options)
    expect(await connect().send(modernPost(add)).response()).toMatchObject(forbidden)
    const session = await openSession(connect)
    expect(
      await connect()
        .send(session.post(call('add', { a: 1, b: 2 })))
        .response(),
    ).toMatchObject(forbidden)
  })

  test('gets 403 without sessions too', async () => {
    const { connect } = await listen(requireWrite('add'), { ...options, legacy: 'stateless' })
    const body = JSON.stringify(call('add', { a: 1, b: 2 }))
    expect(
      await connect()
        .send(post(body, { 'MCP-Protocol-Version': '2025-06-18' }))
        .response(),
    ).toMatchObject(forbidden)
  })

  test('gets 403 without a challenge if none is configured', async () => {
    const { connect } = await listen(requireWrite('add'))
    const answer = await connect().send(modernPost(add)).response()
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([403, undefined])
  })
})

describe('the scopes of a session', () => {
  test('are those of each request, not of the handshake', async () => {
    const core = createTestCore()
    const authenticate: HttpOptions['authenticate'] = ({ header }) => ({
      principal: 'ann',
      scopes: (header('authorization') ?? '').split(' '),
    })
    const { connect } = await listen(core.exchange, { authenticate })
    const session = await openSession(connect, '2025-11-25', { Authorization: 'read' })
    for (const scopes of ['read write', 'read']) {
      await connect()
        .send(session.post(call('add', { a: 1, b: 2 }, scopes), { Authorization: scopes }))
        .response()
      expect(core.lastContext?.auth?.scopes).toEqual(scopes.split(' '))
    }
  })
})
