/** Tokens that a protected server must refuse. */
import { createHmac } from 'node:crypto'
import { exportJWK, exportSPKI, generateKeyPair, importJWK, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer } from '../support/connection.ts'
import { modern, write } from '../support/http.ts'
import { tool } from '../support/messages.ts'
import { testAuthorizationServer } from './support/protected-server.ts'
import {
  bearer,
  expectAccepted,
  expectRefused,
  REQUESTS,
  startTokenServer,
  type TokenServer,
  testTokenServer,
} from './support/token-server.ts'

let target: TokenServer
beforeAll(async () => void (target = await startTokenServer()))
afterAll(() => target.close())

const now = (): number => Math.floor(Date.now() / 1000)
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const claimsFor = ({ login, resource }: TokenServer) => ({
  iss: login.issuer,
  sub: 'ada',
  aud: resource,
  exp: now() + 300,
  iat: now(),
})

async function expectRefusedToken(target: TokenServer, token: string): Promise<void> {
  expectRefused(await target.call(bearer(token)), token)
}

test('G07: a valid token is accepted, also for several resources or another spelling of this one or of the issuer', async () => {
  expectAccepted(await target.call(bearer(await target.issue())))
  expectAccepted(await target.call({ authorization: `bearer ${await target.issue()}` }))
  expectAccepted(await target.call(bearer(await target.sign({ aud: ['https://other.example', target.resource] }))))
  expectAccepted(await target.call(bearer(await target.sign({ aud: target.resource.replace('http', 'HTTP') }))))
  for (const iss of [`${target.login.issuer}/`, target.login.issuer.toUpperCase()])
    expectAccepted(await target.call(bearer(await target.sign({ iss }))))
})

describe('G07: without a valid token, the server refuses', () => {
  test.each(REQUESTS)('%s', async (_, bytes) => {
    expectRefused(await target.server.send(bytes({})))
    const expired = await target.issue({ ttlMs: -1000 })
    expectRefused(await target.server.send(bytes(bearer(expired))), expired)
  })
})

describe('G07: a token', () => {
  test('in the query is ignored', async () => {
    const token = await target.issue()
    const bytes = modern('tools/call', tool('echo', { text: 'inside' })) as string
    for (const query of [`?access_token=${token}`, `?authorization=Bearer%20${token}`])
      expectRefused(await target.server.send(bytes.replace('POST /mcp', `POST /mcp${query}`)))
  })

  test('in a form, a cookie or another header is ignored', async () => {
    const token = await target.issue()
    const type = 'application/x-www-form-urlencoded'
    expectRefused(await target.server.send(write('POST', { 'Content-Type': type }, `access_token=${token}`)))
    for (const name of ['Cookie', 'X-Authorization', 'Proxy-Authorization', 'X-Forwarded-Authorization', 'X-Access-Token'])
      expectRefused(await target.call({ [name]: `Bearer ${token}` }))
  })

  test.each<[string, (token: string) => string]>([
    ['without a scheme', (token) => token],
    ['after another scheme', (token) => `Basic ${token}`],
    ['after a comma', (token) => `Bearer x, Bearer ${token}`],
    ['in quotes', (token) => `Bearer "${token}"`],
    ['before another word', (token) => `Bearer ${token} x`],
    ['after a tab', (token) => `Bearer\t${token}`],
    ['that is missing', () => 'Bearer'],
  ])('%s is refused', async (_, write) => {
    expectRefused(await target.call({ authorization: write(await target.issue()) }))
  })

  test('next to another one is refused, in either order', async () => {
    const good: [string, string] = ['Authorization', `Bearer ${await target.issue()}`]
    for (const fields of [
      [good, ['Authorization', 'Bearer x']],
      [['Authorization', 'Bearer x'], good],
    ] as Array<Array<[string, string]>>) {
      const answer = await target.call(fields)
      expect([400, 401]).toContain(answer.status)
      expect(answer.body).not.toContain('inside')
    }
  })
})

describe('G07: a token whose', () => {
  test.each<[string, (target: TokenServer) => Record<string, unknown>]>([
    ['expiry is in the past', () => ({ exp: now() - 1 })],
    ['expiry is missing', () => ({ exp: undefined })],
    ['expiry is a string', () => ({ exp: String(now() + 300) })],
    ['start is in the future', () => ({ nbf: now() + 60 })],
    ['issuer is another', () => ({ iss: 'https://evil.example' })],
    ['issuer is written with two slashes', ({ login }) => ({ iss: `${login.issuer}//` })],
    ['issuer is written with a path', ({ login }) => ({ iss: `${login.issuer}/login` })],
    ['issuer is written with a query', ({ login }) => ({ iss: `${login.issuer}?a` })],
    ['issuer is written with a user', ({ login }) => ({ iss: login.issuer.replace('//', '//a@') })],
    ['issuer is written with a space', ({ login }) => ({ iss: `${login.issuer} ` })],
    ['issuer is written without a port', ({ login }) => ({ iss: login.issuer.replace(/:\d+$/, '') })],
    ['issuer is written with another scheme', ({ login }) => ({ iss: login.issuer.replace('http', 'https') })],
    ['issuer is missing', () => ({ iss: undefined })],
    ['issuer is a list', ({ login }) => ({ iss: [login.issuer] })],
    ['audience is another resource', () => ({ aud: 'https://other.example/mcp' })],
    ['audience is another port', ({ resource }) => ({ aud: resource.replace(/:\d+/, ':1') })],
    ['audience is the origin', ({ resource }) => ({ aud: new URL(resource).origin })],
    ['audience is a path below', ({ resource }) => ({ aud: `${resource}/below` })],
    ['audience has this resource as a prefix', ({ resource }) => ({ aud: `${resource}x` })],
    ['audience is a list of others', ({ resource }) => ({ aud: ['https://other.example', `${resource}x`] })],
    ['audience is the issuer', ({ login }) => ({ aud: login.issuer })],
    ['audience is the client', () => ({ aud: 'client', client_id: 'client' })],
    ['audience is an object', ({ resource }) => ({ aud: { [resource]: true } })],
    ['audience is empty', () => ({ aud: [] })],
    ['audience is missing', () => ({ aud: undefined })],
    ['resource is right, but its audience is not', ({ resource }) => ({ aud: 'x', resource })],
    ['subject is missing', () => ({ sub: undefined })],
    ['confirmation is a key', () => ({ cnf: { jkt: 'x' } })],
    ['confirmation is a certificate', () => ({ cnf: { 'x5t#S256': 'x' } })],
  ])('%s is refused', async (_, wrong) => {
    await expectRefusedToken(target, await target.sign(wrong(target)))
  })

  test.each(['dpop+jwt', 'logout+jwt', 'secevent+jwt', 'oauth-id-jag+jwt'])('type is %s is refused', async (typ) => {
    await expectRefusedToken(target, await target.sign({}, { typ }))
  })

  test('issuer and key belong to another authorization server is refused', async () => {
    const evil = await testAuthorizationServer()
    await expectRefusedToken(target, await evil.issue({ resources: [target.resource] }))
    await expectRefusedToken(target, await evil.sign({ ...claimsFor(target) }, { typ: 'at+jwt' }))
  })
})

describe('G07: a signature', () => {
  test.each(['none', 'None', 'NONE', 'nOnE', ''])('with the algorithm %j is refused', async (alg) => {
    const head = encode({ alg, typ: 'at+jwt', kid: 'key-1' })
    const token = `${head}.${encode(claimsFor(target))}.`
    await expectRefusedToken(target, token)
    await expectRefusedToken(target, `${token}AAAA`)
  })

  test.each(['RS256', 'ES256'])('with the public key of %s as a secret is refused', async (algorithm) => {
    const target = await testTokenServer({ login: { algorithm } })
    const [jwk] = target.login.keys.keys
    const key = await importJWK(jwk as never, algorithm, { extractable: true })
    const pem = await exportSPKI(key as never)
    const secrets = [pem, pem.trim(), pem.replaceAll('\n', ''), JSON.stringify(jwk), String(jwk?.n ?? jwk?.x), '']
    for (const secret of [...secrets, Buffer.from(pem.replace(/-----.*-----|\n/g, ''), 'base64')]) {
      for (const alg of ['HS256', 'HS384', 'HS512']) {
        const signed = `${encode({ alg, typ: 'at+jwt', kid: 'key-1' })}.${encode(claimsFor(target))}`
        const signature = createHmac(alg.replace('HS', 'sha'), secret).update(signed).digest('base64url')
        await expectRefusedToken(target, `${signed}.${signature}`)
      }
    }
  })

  test.each<[string, Record<string, unknown>]>([
    ['with the id of a valid key', { kid: 'key-1' }],
    ['with an unknown id', { kid: 'key-9' }],
    ['without an id', {}],
    ['with a path for an id', { kid: '../../../../dev/null' }],
    ['with a query for an id', { kid: "x' UNION SELECT 'secret" }],
    ['with a critical header', { kid: 'key-1', crit: ['b64'], b64: true }],
  ])('by another key %s is refused', async (_, header) => {
    const { privateKey, publicKey } = await generateKeyPair('ES256')
    const jwk = await exportJWK(publicKey)
    for (const more of [{}, { jwk }, { x5c: ['MIIB'] }]) {
      const sign = new SignJWT(claimsFor(target)).setProtectedHeader({
        alg: 'ES256',
        typ: 'at+jwt',
        ...header,
        ...more,
      } as never)
      await expectRefusedToken(target, await sign.sign(privateKey, { crit: { b64: true } }))
    }
  })

  test('by a key whose URL is in the token is refused, and the URL is not fetched', async () => {
    const evil = await testAuthorizationServer()
    const url = `${evil.issuer}/jwks`
    for (const header of [{ jku: url }, { x5u: url }, { kid: url }])
      await expectRefusedToken(target, await evil.sign({ ...claimsFor(target) }, { typ: 'at+jwt', ...header }))
    expect(evil.requests).toEqual([])
  })

  test('without a key id is refused if there are several keys', async () => {
    const target = await testTokenServer()
    const token = await target.sign({}, { kid: undefined })
    await target.login.rotateKeys()
    await expectRefusedToken(target, token)
  })

  test('by a removed key is refused once the server has fetched the new keys', async () => {
    const target = await testTokenServer()
    const old = await target.issue()
    expectAccepted(await target.call(bearer(old)))
    await target.login.rotateKeys({ forget: true })
    expectAccepted(await target.call(bearer(await target.issue())))
    await expectRefusedToken(target, old)
  })

  test('over other content is refused', async () => {
    const token = await target.issue()
    const [head = '', body = '', signature = ''] = token.split('.')
    const raised = encode({ ...JSON.parse(Buffer.from(body, 'base64url').toString()), scope: 'admin' })
    for (const changed of [
      `${head}.${raised}.${signature}`,
      `${head}.${body}.`,
      `${head}.${body}`,
      `${head}.${body}.${signature}.`,
      `${head}.${body}.${signature.slice(0, -4)}`,
      `${head}.${body}.${signature.slice(0, -2)}AA`,
      `${encode({ alg: 'ES256', kid: 'key-1' })}.${body}.${signature}`,
      `${head}.${body}.${Buffer.alloc(64).toString('base64url')}`,
      `${head}=.${body}.${signature}`,
    ])
      await expectRefusedToken(target, changed)
  })
})

test('G07: a token that is too long is refused, and the server keeps working', async () => {
  for (const bytes of [8, 12]) {
    const token = `${'a'.repeat(bytes * 1024)}.${'b'.repeat(100)}.c`
    const answer: Answer = await target.call(bearer(token))
    expect([401, 431]).toContain(answer.status)
  }
  expectAccepted(await target.call(bearer(await target.issue())))
})

test('G07: while the issuer is unavailable, tokens are refused', async () => {
  const target = await testTokenServer()
  target.login.setFaults({ responses: { jwks: { status: 500 } } })
  const answer = await target.call(bearer(await target.issue()))
  expect(answer.status).toBe(503)
  expect(answer.body).not.toContain('inside')
  target.login.setFaults({})
  expectAccepted(await target.call(bearer(await target.issue())))
})

test('G11: handlers, listeners and logs do not receive the token itself', async () => {
  const token = await target.issue({ subject: 'ada' })
  const answer = await target.server.send(modern('tools/call', tool('auth'), bearer(token)))
  expect(answer.body).toContain('ada')
  await target.server.send(modern('tools/call', tool('secret'), bearer(token)))
  await expectRefusedToken(target, `${token}x`)
  const [, , signature = ''] = token.split('.')
  expect(answer.body).not.toContain(signature)
  expect(target.server.stderr()).not.toContain(signature)
})
