/** Credentials of one server, and other servers that try to obtain them. */
import { memoryStores } from 'portcall/stores'
import { describe, expect, test } from 'vitest'
import { call, failureOf, open } from '../client/support/connection.ts'
import { legacy, type Methods, modern } from '../client/support/eras.ts'
import { type Handler, testRaw } from '../client/support/raw-server.ts'
import { testAuthorizationServer, testProtectedServer } from './support/protected-server.ts'
import { createUser } from './support/user.ts'

const ERAS: ReadonlyArray<readonly [revision: string, serve: (methods: Methods) => Handler]> = [
  ['2026-07-28', modern],
  ['2025-11-25', legacy],
]

describe.each(ERAS)('a server of %s', (_, serve) => {
  test.each([301, 302, 303, 307, 308])(
    'C61: a token is not sent when a call is redirected to another origin (%i)',
    async (status) => {
      const evil = await testRaw(modern({}))
      const server = await testProtectedServer({
        serve: serve({ 'tools/call': (_request, { send }) => send(status, { Location: evil.url }) }),
      })
      const { client } = await open(server.url, { auth: createUser().auth })
      expect(await failureOf(client.callTool('echo'))).toMatchObject({ code: 'HTTP_STATUS', status })
      expect(evil.made).toBe(0)
    },
  )

  test('C61: a token is sent in its header only', async () => {
    const server = await testProtectedServer({ serve: serve({}) })
    const { client } = await open(server.url, { auth: createUser().auth })
    await call(client)
    const [token = ''] = server.tokens
    for (const { target, message } of server.requests) {
      expect(target).not.toContain(token)
      expect(JSON.stringify(message)).not.toContain(token)
    }
  })
})

test('C61: the challenge of a redirect target is ignored', async () => {
  const evil = await testProtectedServer()
  const server = await testProtectedServer({
    intercept({ target }, answer) {
      if (target !== '/mcp') return false
      answer.send(307, { Location: evil.url })
      return true
    },
  })
  const user = createUser()
  expect(await failureOf(open(server.url, { auth: user.auth }))).toBeInstanceOf(Error)
  expect(evil.made).toBe(0)
  expect(user.opened).toEqual([])
})

test('C62: headers for the server are not sent to its authorization server', async () => {
  const server = await testProtectedServer()
  const headers = { 'X-Api-Key': 's3cret', Cookie: 'a=s3cret' }
  const { client } = await open(server.url, { auth: createUser().auth, headers })
  expect(await call(client)).toBe('fine')
  expect(server.requests.at(-1)?.headers).toMatchObject({ 'x-api-key': 's3cret' })
  for (const { headers: sent, parameters, body } of server.login.requests)
    expect(JSON.stringify([sent, [...parameters], body])).not.toContain('s3cret')
})

test('C62: a token is not sent with requests for metadata', async () => {
  let accepted = true
  const server = await testProtectedServer({ accepts: () => accepted })
  const { client } = await open(server.url, { auth: createUser().auth })
  await call(client)
  accepted = false
  await failureOf(client.callTool('echo'))
  const fetched = server.requests.filter(({ target }) => target.startsWith('/.well-known'))
  expect(fetched.length).toBeGreaterThan(1)
  for (const { headers } of fetched) expect(headers['authorization']).toBeUndefined()
  for (const { endpoint, headers } of server.login.requests)
    if (endpoint !== 'token') expect(headers['authorization']).toBeUndefined()
})

describe('C64: the server names another authorization server', () => {
  test('credentials of the previous one are not sent to the new one', async () => {
    const next = await testAuthorizationServer()
    let moved = false
    const server = await testProtectedServer({
      accepts: (token) => !moved || !old.has(token),
      metadata: () => (moved ? { authorization_servers: [next.issuer] } : {}),
    })
    const old = new Set<string>()
    const user = createUser()
    const { client } = await open(server.url, { auth: user.auth })
    expect(await call(client)).toBe('fine')
    for (const token of server.tokens) old.add(token)
    moved = true
    expect(await call(client)).toBe('fine')

    expect(next.requestsTo('register')).toHaveLength(1)
    expect(user.opened.at(-1)).toContain(next.issuer)
    const secrets = server.login.requests.flatMap(({ parameters }) =>
      ['client_id', 'code', 'code_verifier', 'refresh_token'].flatMap((name) => parameters.get(name) ?? []),
    )
    const shown = JSON.stringify(next.requests.map(({ parameters, headers, body }) => [[...parameters], headers, body]))
    for (const secret of [...secrets, ...old]) expect(shown).not.toContain(secret)
    expect(next.requestsTo('token').map(({ parameters }) => parameters.get('grant_type'))).toEqual(['authorization_code'])
  })

  test('tokens of the previous one are not sent to the server by the next process', async () => {
    const { store } = memoryStores()
    const next = await testAuthorizationServer()
    let moved = false
    const server = await testProtectedServer({
      accepts: (token) => !moved || !old.has(token),
      metadata: () => (moved ? { authorization_servers: [next.issuer] } : {}),
    })
    const old = new Set<string>()
    await open(server.url, { auth: createUser({ store }).auth })
    for (const token of server.tokens) old.add(token)
    moved = true
    const { client } = await open(server.url, { auth: createUser({ store }).auth })
    expect(await call(client)).toBe('fine')
    const before = server.tokens.length
    await open(server.url, { auth: createUser({ store }).auth })
    expect(server.tokens.slice(before).every((token) => !old.has(token))).toBe(true)
  })

  test('a client registered by hand with the previous one is sent to no other', async () => {
    const next = await testAuthorizationServer()
    const known = { client_id: 'by-hand', client_secret: 's3cret', redirect_uris: ['http://127.0.0.1/callback'] }
    const server = await testProtectedServer({
      metadata: () => ({ authorization_servers: [next.issuer] }),
      login: { clients: [known] },
    })
    const client = { clientId: 'by-hand', clientSecret: 's3cret', issuer: server.login.issuer }
    const user = createUser({ client })
    expect(await failureOf(open(server.url, { auth: user.auth }))).toMatchObject({
      code: 'AUTH_FAILED',
      reason: 'registration_failed',
    })
    expect(JSON.stringify(next.requests.map(({ parameters, headers }) => [[...parameters], headers]))).not.toMatch(
      /by-hand|s3cret/,
    )
    expect(user.opened).toEqual([])
  })
})

test("C64: two servers with the same authorization server do not receive each other's tokens", async () => {
  const login = await testAuthorizationServer()
  const naming = { metadata: () => ({ authorization_servers: [login.issuer] }) }
  const [first, second] = [await testProtectedServer(naming), await testProtectedServer(naming)]
  const user = createUser()
  for (const { url } of [first, second]) await call((await open(url, { auth: user.auth })).client)
  expect(second.tokens.filter((token) => first.tokens.includes(token))).toEqual([])
  expect(login.requestsTo('token').map(({ parameters }) => parameters.get('resource'))).toEqual([first.url, second.url])
})
