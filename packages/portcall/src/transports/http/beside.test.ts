import { describe, expect, test, vi } from 'vitest'
import { createTestCore } from '../../../test-kit/core.ts'
import { call, openSession } from '../../../test-kit/legacy.ts'
import { listen, modern, post, write } from '../../../test-kit/raw.ts'
import { insufficientScope } from '../../protocol/errors.ts'
import { createFetchHandler } from './fetch.ts'
import type { Beside, HttpOptions } from './options.ts'

const add = { id: 1, method: 'tools/call', params: { name: 'add', arguments: { a: 1, b: 2 } } }

const beside: Beside = async (request) => {
  if (request.target === '/hello')
    return { status: 200, headers: { 'content-type': 'text/plain' }, body: `hello ${request.method}` }
  if (request.target !== '/echo') return undefined
  const body = await request.readBody()
  return { status: 201, headers: { 'cache-control': 'max-age=60' }, body: 'text' in body ? body.text : 'parsed' }
}

describe('what lies beside an endpoint', () => {
  test('is answered by the hook, without asking who is calling', async () => {
    const authenticate = vi.fn()
    const { connect } = await listen(createTestCore().exchange, { path: '/mcp', beside, authenticate })
    const hello = await connect()
      .send(write('GET', {}, undefined, '/hello'))
      .answer()
    expect(hello).toMatchObject({ status: 200, body: 'hello GET', headers: { 'cache-control': 'no-store' } })
    const echo = await connect()
      .send(write('POST', {}, 'a=b', '/echo'))
      .answer()
    expect(echo).toMatchObject({ status: 201, body: 'a=b', headers: { 'cache-control': 'max-age=60' } })
    expect(authenticate).not.toHaveBeenCalled()
    expect((await connect().send(modern(add)).answer()).json.result.content[0].text).toBe('3')
    expect(
      (
        await connect()
          .send(write('GET', {}, undefined, '/other'))
          .answer()
      ).status,
    ).toBe(404)
  })

  test('is answered to web requests too', async () => {
    const handler = createFetchHandler(createTestCore().exchange, { path: '/mcp', beside })
    const answer = await handler(new Request('http://localhost/echo', { method: 'POST', body: 'a=b' }))
    expect([answer.status, await answer.text()]).toEqual([201, 'a=b'])
    expect((await handler(new Request('http://localhost/other'))).status).toBe(404)
  })

  test('comes after the guard, and within the limits', async () => {
    const { connect } = await listen(createTestCore().exchange, { beside, maxBodyBytes: 10 })
    const foreign = write('GET', { Host: 'evil.example' }, undefined, '/hello')
    expect((await connect().send(foreign).answer()).status).toBe(403)
    expect(
      (
        await connect()
          .send(write('POST', {}, 'x'.repeat(11), '/echo'))
          .answer()
      ).status,
    ).toBe(413)
  })
})

describe('a caller who lacks scopes', () => {
  const options: HttpOptions = {
    authenticate: () => ({ principal: 'ann', scopes: ['read'] }),
    challenge: (scopes, auth) => ({ 'www-authenticate': `Bearer scope="${[...(auth?.scopes ?? []), ...scopes].join(' ')}"` }),
  }
  const exchange = createTestCore().exchange
  const demanding =
    (name: string): typeof exchange =>
    (request, context) =>
      request.params?.name === name
        ? Promise.resolve(insufficientScope(['write']).response(request.id))
        : exchange(request, context)
  const refused = {
    status: 403,
    headers: { 'www-authenticate': 'Bearer scope="read write"' },
    json: { error: { code: -32600, data: { requiredScopes: ['write'] } } },
  }

  test('gets 403 and a challenge, in both eras', async () => {
    const { connect } = await listen(demanding('add'), options)
    expect(await connect().send(modern(add)).answer()).toMatchObject(refused)
    const session = await openSession(connect)
    expect(
      await connect()
        .send(session.post(call('add', { a: 1, b: 2 })))
        .answer(),
    ).toMatchObject(refused)
  })

  test('gets 403 without sessions too', async () => {
    const { connect } = await listen(demanding('add'), { ...options, legacy: 'stateless' })
    const body = JSON.stringify(call('add', { a: 1, b: 2 }))
    expect(
      await connect()
        .send(post(body, { 'MCP-Protocol-Version': '2025-06-18' }))
        .answer(),
    ).toMatchObject(refused)
  })

  test('gets 403 without a challenge where nobody makes one', async () => {
    const { connect } = await listen(demanding('add'))
    const answer = await connect().send(modern(add)).answer()
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([403, undefined])
  })
})

describe('the scopes of a session', () => {
  test('are those of each request, not of the one that began it', async () => {
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
        .answer()
      expect(core.last?.auth?.scopes).toEqual(scopes.split(' '))
    }
  })
})
