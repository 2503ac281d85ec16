/** Servers that refer their clients to private addresses or invalid authorization servers. */
import { insecureHttp } from 'portcall/auth/client'
import { describe, expect, test } from 'vitest'
import { call, open } from '../client/support/connection.ts'
import { LEGACY, legacy, modern } from '../client/support/eras.ts'
import { MIB } from '../support/time.ts'
import { type FailedConnectionOptions, failToConnect } from './support/fail-to-connect.ts'
import { INVALID_URLS, PRIVATE_NAMES, PRIVATE_URLS } from './support/private-urls.ts'
import { type ProtectedServer, testProtectedServer } from './support/protected-server.ts'
import { createUser } from './support/user.ts'

/** Expects that no connection left this machine, and that no page was opened. */
async function expectRefusedAddress(choice: FailedConnectionOptions): Promise<void> {
  const { error, network, user, server } = await failToConnect(choice)
  expect(error).toMatchObject({ code: 'AUTH_FAILED', reason: 'address_refused' })
  expect(network.connections).toEqual([])
  expect(user.opened).toEqual([])
  expect(server.tokens).toEqual([])
}

const pointing = (url: string): Pick<FailedConnectionOptions, 'challenge'> => ({
  challenge: () => `Bearer resource_metadata="${url}"`,
})
const issuing = (url: string): Pick<FailedConnectionOptions, 'metadata'> => ({
  metadata: () => ({ authorization_servers: [url] }),
})
const endpoint = (name: string, url: string): Pick<FailedConnectionOptions, 'before'> => ({
  before: ({ login }: ProtectedServer) => login.setFaults({ metadata: { [name]: url } }),
})

test.each([
  ['2026-07-28', modern],
  [LEGACY, legacy],
])('C50: a client of a server of %s signs in, and its calls carry the token', async (_, serve) => {
  const server = await testProtectedServer({ serve: serve({}) })
  const user = createUser()
  const { client } = await open(server.url, { auth: user.auth })
  expect(await call(client)).toBe('fine')
  expect(user.opened).toHaveLength(1)
  const [token] = server.login.requestsTo('token')
  expect(token?.parameters.get('resource')).toBe(server.url)
  expect(new URL(user.opened[0]!).searchParams.get('resource')).toBe(server.url)
  expect(new Set(server.tokens).size).toBe(1)
})

describe('C51 X03: the resource metadata is', () => {
  test.each(PRIVATE_URLS)('at %s', (url) => expectRefusedAddress(pointing(url)))

  test.each(Object.keys(PRIVATE_NAMES))('at %s, which resolves to a private address', (name) =>
    expectRefusedAddress({ ...pointing(`https://${name}/`), names: PRIVATE_NAMES }),
  )
})

describe('C52 X03: the authorization server is', () => {
  test.each(PRIVATE_URLS)('at %s', (url) => expectRefusedAddress(issuing(url)))

  test.each(Object.keys(PRIVATE_NAMES))('at %s, which resolves to a private address', (name) =>
    expectRefusedAddress({ ...issuing(`https://${name}`), names: PRIVATE_NAMES }),
  )

  test('at an http URL', async () => {
    await expectRefusedAddress({ ...issuing('http://login.example'), names: { 'login.example': ['93.184.215.14'] } })
  })

  test('at a name that resolves to a private address the second time', async () => {
    const answers = [['93.184.215.14'], ['10.0.0.5']]
    const { network } = await failToConnect({
      ...issuing('https://rebinding.evil.example'),
      names: { 'rebinding.evil.example': () => answers.shift() ?? ['10.0.0.5'] },
    })
    expect(network.connections).not.toContain('10.0.0.5')
  })

  test('on this machine, named by a server that is not', async () => {
    const { error, server } = await failToConnect({
      challenge: () => 'Bearer',
      names: { 'mcp.example': ['127.0.0.1'] },
      target: ({ port }) => `http://mcp.example:${port}/mcp`,
      metadata: ({ port }) => ({ resource: `http://mcp.example:${port}/mcp` }),
      user: { allow: [insecureHttp] },
    })
    expect(error).toMatchObject({ code: 'AUTH_FAILED' })
    expect(server.login.requests).toEqual([])
  })
})

describe('C53 X03', () => {
  test.each(PRIVATE_URLS)('a client is not registered at %s', (url) =>
    expectRefusedAddress(endpoint('registration_endpoint', url)),
  )

  test.each(PRIVATE_URLS)('a code is not redeemed at %s', async (url) => {
    const { error, network, user } = await failToConnect(endpoint('token_endpoint', url))
    expect(error).toMatchObject({ code: 'AUTH_FAILED', reason: 'address_refused' })
    expect(network.connections).toEqual([])
    expect(user.opened.length).toBeLessThan(2)
  })

  test.each(PRIVATE_URLS)('no user is sent to %s', (url) => expectRefusedAddress(endpoint('authorization_endpoint', url)))
})

test.each(INVALID_URLS)('C51 C52 C53 X03: %s is an invalid URL, and nothing is connected to', async (url) => {
  for (const choice of [issuing(url), endpoint('token_endpoint', url), endpoint('authorization_endpoint', url)]) {
    const { error, network } = await failToConnect(choice)
    expect(error).toMatchObject({ code: 'AUTH_FAILED' })
    expect(network.connections).toEqual([])
  }
})

describe('C54 X03: metadata is redirected', () => {
  const redirecting = (url: string): Partial<FailedConnectionOptions> => ({
    before: ({ login }) => login.setFaults({ responses: { metadata: { status: 302, headers: { location: url } } } }),
  })

  test.each(PRIVATE_URLS)('to %s', (url) => expectRefusedAddress(redirecting(url)))

  test.each(PRIVATE_URLS)('of the resource to %s', (url) =>
    expectRefusedAddress({
      intercept({ target }, answer) {
        if (!target.startsWith('/.well-known')) return false
        answer.send(302, { Location: url })
        return true
      },
    }),
  )

  test('in a loop', async () => {
    const { error, server } = await failToConnect({
      before: ({ login }) =>
        login.setFaults({ responses: { metadata: ({ url }) => ({ status: 302, headers: { location: url } }) } }),
    })
    expect(error).toMatchObject({ code: 'AUTH_FAILED' })
    expect(server.login.requests.length).toBeLessThan(20)
  })
})

describe('C55: metadata describes', () => {
  test.each([
    ['another origin', () => 'https://evil.example/mcp'],
    ['another port', ({ hostname }: URL) => `http://${hostname}:1/mcp`],
    ['another path', ({ origin }: URL) => `${origin}/other`],
    ['a prefix of the path', ({ origin }: URL) => `${origin}/mc`],
    ['a path below', ({ href }: URL) => `${href}/below`],
    ['the same with a fragment', ({ href }: URL) => `${href}#x`],
    ['no resource', () => undefined],
    ['several resources', ({ href }: URL) => [href]],
  ])('%s, and is not used', async (_, resource) => {
    const { error, server, user } = await failToConnect({ metadata: (url) => ({ resource: resource(url) }) })
    expect(error).toMatchObject({ code: 'AUTH_FAILED', reason: 'resource_mismatch' })
    expect(server.login.requests).toEqual([])
    expect(user.opened).toEqual([])
  })
})

describe('C56: the issuer in the metadata is', () => {
  test.each([
    ['another issuer', () => 'https://evil.example'],
    ['the same with two slashes', (issuer: string) => `${issuer}//`],
    ['the same with a path', (issuer: string) => `${issuer}/login`],
    ['the same with a query', (issuer: string) => `${issuer}?a`],
    ['the same with a user', (issuer: string) => issuer.replace('//', '//a@')],
    ['the same with another host name', (issuer: string) => issuer.replace('127.0.0.1', 'localhost')],
    ['one of several', (issuer: string) => [issuer]],
    ['missing', () => undefined],
  ])('%s, and none of its endpoints are used', async (_, issuer) => {
    const { error, server, user } = await failToConnect({
      before: ({ login }) => login.setFaults({ metadata: { issuer: issuer(login.issuer) } }),
    })
    expect(error).toMatchObject({ code: 'AUTH_FAILED', reason: 'issuer_mismatch' })
    expect(server.login.requests.every(({ endpoint: requested }) => requested === 'metadata')).toBe(true)
    expect(user.opened).toEqual([])
  })

  const spellings: ReadonlyArray<readonly [how: string, issuer: (issuer: string) => string]> = [
    ['with a slash', (issuer) => `${issuer}/`],
    ['in capitals', (issuer) => issuer.replace('http', 'HTTP')],
  ]

  test.each(spellings)('the same %s, and is used if the authorization response has the same text', async (_, issuer) => {
    const server = await testProtectedServer()
    const iss = issuer(server.login.issuer)
    server.login.setFaults({ metadata: { issuer: iss }, redirect: { iss } })
    const { client } = await open(server.url, { auth: createUser().auth })
    expect(await call(client)).toBe('fine')
  })

  test.each(spellings)(
    'the same %s, and no code is redeemed if the authorization response has another text',
    async (_, issuer) => {
      const { error, server, user } = await failToConnect({
        before: ({ login }) => login.setFaults({ metadata: { issuer: issuer(login.issuer) } }),
      })
      expect(error).toMatchObject({ code: 'AUTH_FAILED', reason: 'issuer_mismatch' })
      expect(user.opened).toHaveLength(1)
      expect(server.login.requestsTo('token')).toEqual([])
    },
  )
})

describe('C68: metadata that is', () => {
  test.each([
    ['60 MB long', { paddingBytes: 60 * MIB }],
    ['endless', { endless: true }],
  ])('%s is not read completely', async (_, fault) => {
    const before = process.memoryUsage().rss
    const { error } = await failToConnect({ before: ({ login }) => login.setFaults({ responses: { metadata: fault } }) })
    expect(error).toMatchObject({ code: 'AUTH_FAILED', reason: 'unreachable' })
    expect(process.memoryUsage().rss - before).toBeLessThan(40 * MIB)
  })

  test('the endless metadata of a resource is not read completely', async () => {
    const { error } = await failToConnect({
      intercept({ target }, answer) {
        if (!target.startsWith('/.well-known')) return false
        answer.stream({ 'Content-Type': 'application/json' })
        const chunk = ' '.repeat(65_536)
        const timer = setInterval(() => (answer.socket.destroyed ? clearInterval(timer) : answer.chunk(chunk)), 1)
        return true
      },
    })
    expect(error).toMatchObject({ code: 'AUTH_FAILED', reason: 'unreachable' })
  })

  test('never sent is not awaited after the client has aborted', async () => {
    const { error } = await failToConnect({
      before: ({ login }) => login.setFaults({ responses: { metadata: { hang: true } } }),
      connect: { signal: AbortSignal.timeout(300) },
    })
    expect(error.name).toBe('TimeoutError')
  })
})
