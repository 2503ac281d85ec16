/** Secrets that belong to one server, and others that would like to have them. */
import { memory } from 'portcall/stores'
import { describe, expect, test } from 'vitest'
import { call, failureOf, open } from '../client/support/connection.ts'
import { legacy, type Methods, modern } from '../client/support/eras.ts'
import { type Handler, testRaw } from '../client/support/raw-server.ts'
import { testLogin, testProtected } from './support/protected.ts'
import { createUser } from './support/user.ts'

const ERAS: ReadonlyArray<readonly [revision: string, serve: (methods: Methods) => Handler]> = [
  ['2026-07-28', modern],
  ['2025-11-25', legacy],
]

describe.each(ERAS)('a server of %s', (_, serve) => {
  test.each([301, 302, 303, 307, 308])(
    'C61: a token does not go along when a call is redirected elsewhere (%i)',
    async (status) => {
      const evil = await testRaw(modern({}))
      const server = await testProtected({
        serve: serve({ 'tools/call': (_request, { send }) => send(status, { Location: evil.url }) }),
      })
      const { client } = await open(server.url, { auth: createUser().auth })
      expect(await failureOf(client.callTool('echo'))).toMatchObject({ code: 'HTTP_STATUS', status })
      expect(evil.made).toBe(0)
    },
  )

  test('C61: a token stays in its header', async () => {
    const server = await testProtected({ serve: serve({}) })
    const { client } = await open(server.url, { auth: createUser().auth })
    await call(client)
    const [token = ''] = server.tokens
    for (const { target, message } of server.requests) {
      expect(target).not.toContain(token)
      expect(JSON.stringify(message)).not.toContain(token)
    }
  })
})

test('C61: a challenge from where a call was redirected to is no challenge', async () => {
  const evil = await testProtected()
  const server = await testProtected({
    first({ target }, answer) {
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

test('C62: headers for the server are not shown to its authorization server', async () => {
  const server = await testProtected()
  const headers = { 'X-Api-Key': 's3cret', Cookie: 'a=s3cret' }
  const { client } = await open(server.url, { auth: createUser().auth, headers })
  expect(await call(client)).toBe('fine')
  expect(server.requests.at(-1)?.headers).toMatchObject({ 'x-api-key': 's3cret' })
  for (const { headers: sent, parameters, body } of server.login.requests)
    expect(JSON.stringify([sent, [...parameters], body])).not.toContain('s3cret')
})

test('C62: a token is not shown where metadata is', async () => {
  let accepted = true
  const server = await testProtected({ accepts: () => accepted })
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
  test('what the old one gave is not shown to the new one', async () => {
    const next = await testLogin()
    let moved = false
    const server = await testProtected({
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

    expect(next.asked('register')).toHaveLength(1)
    expect(user.opened.at(-1)).toContain(next.issuer)
    const secrets = server.login.requests.flatMap(({ parameters }) =>
      ['client_id', 'code', 'code_verifier', 'refresh_token'].flatMap((name) => parameters.get(name) ?? []),
    )
    const shown = JSON.stringify(next.requests.map(({ parameters, headers, body }) => [[...parameters], headers, body]))
    for (const secret of [...secrets, ...old]) expect(shown).not.toContain(secret)
    expect(next.asked('token').map(({ parameters }) => parameters.get('grant_type'))).toEqual(['authorization_code'])
  })

  test('the tokens of the old one are not sent to the server by the next process', async () => {
    const { store } = memory()
    const next = await testLogin()
    let moved = false
    const server = await testProtected({
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

  test('a client that was registered by hand with the old one is shown to nobody else', async () => {
    const next = await testLogin()
    const known = { client_id: 'by-hand', client_secret: 's3cret', redirect_uris: ['http://127.0.0.1/callback'] }
    const server = await testProtected({
      metadata: () => ({ authorization_servers: [next.issuer] }),
      login: { clients: [known] },
    })
    const client = { clientId: 'by-hand', clientSecret: 's3cret', issuer: server.login.issuer }
    const user = createUser({ client })
    expect(await failureOf(open(server.url, { auth: user.auth }))).toMatchObject({
      code: 'AUTH_FAILED',
      fault: 'registration_failed',
    })
    expect(JSON.stringify(next.requests.map(({ parameters, headers }) => [[...parameters], headers]))).not.toMatch(
      /by-hand|s3cret/,
    )
    expect(user.opened).toEqual([])
  })
})

test('C64: two servers that name the same authorization server do not get the tokens of each other', async () => {
  const login = await testLogin()
  const naming = { metadata: () => ({ authorization_servers: [login.issuer] }) }
  const [first, second] = [await testProtected(naming), await testProtected(naming)]
  const user = createUser()
  for (const { url } of [first, second]) await call((await open(url, { auth: user.auth })).client)
  expect(second.tokens.filter((token) => first.tokens.includes(token))).toEqual([])
  expect(login.asked('token').map(({ parameters }) => parameters.get('resource'))).toEqual([first.url, second.url])
})
