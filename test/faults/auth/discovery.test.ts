/** Servers that lead their clients to places that they have no business with, or name an authorization server that is none. */
import { insecureHttp } from 'portcall/auth/client'
import { describe, expect, test } from 'vitest'
import { call, open } from '../client/support/connection.ts'
import { LEGACY, legacy, modern } from '../client/support/eras.ts'
import { MIB } from '../support/time.ts'
import { type AttemptChoice, failToConnect } from './support/attempt.ts'
import { INSIDE, NAMES_INSIDE, NO_PLACES } from './support/places.ts'
import { type Protected, testProtected } from './support/protected.ts'
import { createUser } from './support/user.ts'

/** Nothing has left this machine, and nobody was shown anything. */
async function expectStaysHere(choice: AttemptChoice): Promise<void> {
  const { error, network, user, server } = await failToConnect(choice)
  expect(error).toMatchObject({ code: 'AUTH_FAILED', fault: 'address_refused' })
  expect(network.dialled).toEqual([])
  expect(user.opened).toEqual([])
  expect(server.tokens).toEqual([])
}

const pointing = (url: string): Pick<AttemptChoice, 'challenge'> => ({ challenge: () => `Bearer resource_metadata="${url}"` })
const issuing = (url: string): Pick<AttemptChoice, 'metadata'> => ({ metadata: () => ({ authorization_servers: [url] }) })
const endpoint = (name: string, url: string): Pick<AttemptChoice, 'before'> => ({
  before: ({ login }: Protected) => login.set({ metadata: { [name]: url } }),
})

test.each([
  ['2026-07-28', modern],
  [LEGACY, legacy],
])('C50: a client of a server of %s signs in, and its calls carry the token', async (_, serve) => {
  const server = await testProtected({ serve: serve({}) })
  const user = createUser()
  const { client } = await open(server.url, { auth: user.auth })
  expect(await call(client)).toBe('fine')
  expect(user.opened).toHaveLength(1)
  const [token] = server.login.asked('token')
  expect(token?.parameters.get('resource')).toBe(server.url)
  expect(new URL(user.opened[0]!).searchParams.get('resource')).toBe(server.url)
  expect(new Set(server.tokens).size).toBe(1)
})

describe('C51 X03: the metadata of the resource is said to be', () => {
  test.each(INSIDE)('at %s', (url) => expectStaysHere(pointing(url)))

  test.each(Object.keys(NAMES_INSIDE))('at %s, which leads inside', (name) =>
    expectStaysHere({ ...pointing(`https://${name}/`), names: NAMES_INSIDE }),
  )
})

describe('C52 X03: the authorization server is said to be', () => {
  test.each(INSIDE)('at %s', (url) => expectStaysHere(issuing(url)))

  test.each(Object.keys(NAMES_INSIDE))('at %s, which leads inside', (name) =>
    expectStaysHere({ ...issuing(`https://${name}`), names: NAMES_INSIDE }),
  )

  test('somewhere that is not encrypted', async () => {
    await expectStaysHere({ ...issuing('http://login.example'), names: { 'login.example': ['93.184.215.14'] } })
  })

  test('behind a name that leads inside when it is asked again', async () => {
    const answers = [['93.184.215.14'], ['10.0.0.5']]
    const { network } = await failToConnect({
      ...issuing('https://rebinding.evil.example'),
      names: { 'rebinding.evil.example': () => answers.shift() ?? ['10.0.0.5'] },
    })
    expect(network.dialled).not.toContain('10.0.0.5')
  })

  test('on this machine, by a server that is not', async () => {
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
  test.each(INSIDE)('a client is not registered at %s', (url) => expectStaysHere(endpoint('registration_endpoint', url)))

  test.each(INSIDE)('a code is not redeemed at %s', async (url) => {
    const { error, network, user } = await failToConnect(endpoint('token_endpoint', url))
    expect(error).toMatchObject({ code: 'AUTH_FAILED', fault: 'address_refused' })
    expect(network.dialled).toEqual([])
    expect(user.opened.length).toBeLessThan(2)
  })

  test.each(INSIDE)('nobody is sent to %s', (url) => expectStaysHere(endpoint('authorization_endpoint', url)))
})

test.each(NO_PLACES)('C51 C52 C53 X03: %s is no place, and nothing is dialled', async (url) => {
  for (const choice of [issuing(url), endpoint('token_endpoint', url), endpoint('authorization_endpoint', url)]) {
    const { error, network } = await failToConnect(choice)
    expect(error).toMatchObject({ code: 'AUTH_FAILED' })
    expect(network.dialled).toEqual([])
  }
})

describe('C54 X03: metadata is redirected', () => {
  const redirecting = (url: string): Partial<AttemptChoice> => ({
    before: ({ login }) => login.set({ answers: { metadata: { status: 302, headers: { location: url } } } }),
  })

  test.each(INSIDE)('to %s', (url) => expectStaysHere(redirecting(url)))

  test.each(INSIDE)('that of the resource to %s', (url) =>
    expectStaysHere({
      first({ target }, answer) {
        if (!target.startsWith('/.well-known')) return false
        answer.send(302, { Location: url })
        return true
      },
    }),
  )

  test('in a circle', async () => {
    const { error, server } = await failToConnect({
      before: ({ login }) => login.set({ answers: { metadata: ({ url }) => ({ status: 302, headers: { location: url } }) } }),
    })
    expect(error).toMatchObject({ code: 'AUTH_FAILED' })
    expect(server.login.requests.length).toBeLessThan(20)
  })
})

describe('C55: metadata is about', () => {
  test.each([
    ['another origin', () => 'https://evil.example/mcp'],
    ['another port', ({ hostname }: URL) => `http://${hostname}:1/mcp`],
    ['another path', ({ origin }: URL) => `${origin}/other`],
    ['a path that begins alike', ({ origin }: URL) => `${origin}/mc`],
    ['something below', ({ href }: URL) => `${href}/below`],
    ['the same with a fragment', ({ href }: URL) => `${href}#x`],
    ['nothing', () => undefined],
    ['several things', ({ href }: URL) => [href]],
  ])('%s, and is not used', async (_, resource) => {
    const { error, server, user } = await failToConnect({ metadata: (url) => ({ resource: resource(url) }) })
    expect(error).toMatchObject({ code: 'AUTH_FAILED', fault: 'resource_mismatch' })
    expect(server.login.requests).toEqual([])
    expect(user.opened).toEqual([])
  })
})

describe('C56: the issuer in the metadata is', () => {
  test.each([
    ['another one', () => 'https://evil.example'],
    ['the same with a slash', (issuer: string) => `${issuer}/`],
    ['the same in capitals', (issuer: string) => issuer.replace('http', 'HTTP')],
    ['the same by another name', (issuer: string) => issuer.replace('127.0.0.1', 'localhost')],
    ['one of several', (issuer: string) => [issuer]],
    ['none', () => undefined],
  ])('%s, and none of its endpoints are used', async (_, issuer) => {
    const { error, server, user } = await failToConnect({
      before: ({ login }) => login.set({ metadata: { issuer: issuer(login.issuer) } }),
    })
    expect(error).toMatchObject({ code: 'AUTH_FAILED', fault: 'issuer_mismatch' })
    expect(server.login.requests.every(({ endpoint: asked }) => asked === 'metadata')).toBe(true)
    expect(user.opened).toEqual([])
  })
})

describe('C68: metadata that is', () => {
  test.each([
    ['60 MB long', { padding: 60 * MIB }],
    ['without an end', { endless: true }],
  ])('%s is not read to its end', async (_, fault) => {
    const before = process.memoryUsage().rss
    const { error } = await failToConnect({ before: ({ login }) => login.set({ answers: { metadata: fault } }) })
    expect(error).toMatchObject({ code: 'AUTH_FAILED', fault: 'unreachable' })
    expect(process.memoryUsage().rss - before).toBeLessThan(40 * MIB)
  })

  test('that of the resource without an end is not read to its end', async () => {
    const { error } = await failToConnect({
      first({ target }, answer) {
        if (!target.startsWith('/.well-known')) return false
        answer.stream({ 'Content-Type': 'application/json' })
        const piece = ' '.repeat(65_536)
        const timer = setInterval(() => (answer.socket.destroyed ? clearInterval(timer) : answer.chunk(piece)), 1)
        return true
      },
    })
    expect(error).toMatchObject({ code: 'AUTH_FAILED', fault: 'unreachable' })
  })

  test('that does not come is not waited for by a client that has given up', async () => {
    const { error } = await failToConnect({
      before: ({ login }) => login.set({ answers: { metadata: { hangs: true } } }),
      connect: { signal: AbortSignal.timeout(300) },
    })
    expect(error.name).toBe('TimeoutError')
  })
})
