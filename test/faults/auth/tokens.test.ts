/** Tokens that a protected server must not take. */
import { createHmac } from 'node:crypto'
import { exportJWK, exportSPKI, generateKeyPair, importJWK, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer } from '../support/connection.ts'
import { modern, write } from '../support/http.ts'
import { tool } from '../support/messages.ts'
import { bearer, expectRefused, expectTaken, type Guarded, startGuarded, testGuarded, WAYS } from './support/guarded.ts'
import { testLogin } from './support/protected.ts'

let guarded: Guarded
beforeAll(async () => void (guarded = await startGuarded()))
afterAll(() => guarded.close())

const now = (): number => Math.floor(Date.now() / 1000)
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const claimsFor = ({ login, resource }: Guarded) => ({
  iss: login.issuer,
  sub: 'ada',
  aud: resource,
  exp: now() + 300,
  iat: now(),
})

async function expectNotTaken(guarded: Guarded, token: string): Promise<void> {
  expectRefused(await guarded.call(bearer(token)), token)
}

test('G07: a good token is taken, also one for several resources, or by another spelling of this one', async () => {
  expectTaken(await guarded.call(bearer(await guarded.issue())))
  expectTaken(await guarded.call({ authorization: `bearer ${await guarded.issue()}` }))
  expectTaken(await guarded.call(bearer(await guarded.sign({ aud: ['https://other.example', guarded.resource] }))))
  expectTaken(await guarded.call(bearer(await guarded.sign({ aud: guarded.resource.replace('http', 'HTTP') }))))
})

describe('G07: without a good token nobody gets in by', () => {
  test.each(WAYS)('%s', async (_, bytes) => {
    expectRefused(await guarded.server.send(bytes({})))
    const expired = await guarded.issue({ lifetime: -1 })
    expectRefused(await guarded.server.send(bytes(bearer(expired))), expired)
  })
})

describe('G07: a token that stands', () => {
  test('in the query is not looked at', async () => {
    const token = await guarded.issue()
    const bytes = modern('tools/call', tool('echo', { text: 'inside' })) as string
    for (const query of [`?access_token=${token}`, `?authorization=Bearer%20${token}`])
      expectRefused(await guarded.server.send(bytes.replace('POST /mcp', `POST /mcp${query}`)))
  })

  test('in a form, a cookie or another header is not looked at', async () => {
    const token = await guarded.issue()
    const type = 'application/x-www-form-urlencoded'
    expectRefused(await guarded.server.send(write('POST', { 'Content-Type': type }, `access_token=${token}`)))
    for (const name of ['Cookie', 'X-Authorization', 'Proxy-Authorization', 'X-Forwarded-Authorization', 'X-Access-Token'])
      expectRefused(await guarded.call({ [name]: `Bearer ${token}` }))
  })

  test.each<[string, (token: string) => string]>([
    ['behind nothing', (token) => token],
    ['behind another scheme', (token) => `Basic ${token}`],
    ['behind a comma', (token) => `Bearer x, Bearer ${token}`],
    ['in quotes', (token) => `Bearer "${token}"`],
    ['with a word behind it', (token) => `Bearer ${token} x`],
    ['behind a tab', (token) => `Bearer\t${token}`],
    ['nowhere', () => 'Bearer'],
  ])('%s is none', async (_, write) => {
    expectRefused(await guarded.call({ authorization: write(await guarded.issue()) }))
  })

  test('beside another one is refused, in either order', async () => {
    const good: [string, string] = ['Authorization', `Bearer ${await guarded.issue()}`]
    for (const fields of [
      [good, ['Authorization', 'Bearer x']],
      [['Authorization', 'Bearer x'], good],
    ] as Array<Array<[string, string]>>) {
      const answer = await guarded.call(fields)
      expect([400, 401]).toContain(answer.status)
      expect(answer.body).not.toContain('inside')
    }
  })
})

describe('G07: a token whose', () => {
  test.each<[string, (guarded: Guarded) => Record<string, unknown>]>([
    ['time is over', () => ({ exp: now() - 1 })],
    ['time has no end', () => ({ exp: undefined })],
    ['end is a text', () => ({ exp: String(now() + 300) })],
    ['time has not come', () => ({ nbf: now() + 60 })],
    ['issuer is another one', () => ({ iss: 'https://evil.example' })],
    ['issuer is written with a slash', ({ login }) => ({ iss: `${login.issuer}/` })],
    ['issuer is written in capitals', ({ login }) => ({ iss: login.issuer.toUpperCase() })],
    ['issuer is missing', () => ({ iss: undefined })],
    ['issuer is a list', ({ login }) => ({ iss: [login.issuer] })],
    ['audience is another resource', () => ({ aud: 'https://other.example/mcp' })],
    ['audience is another port', ({ resource }) => ({ aud: resource.replace(/:\d+/, ':1') })],
    ['audience is the origin', ({ resource }) => ({ aud: new URL(resource).origin })],
    ['audience is a path below', ({ resource }) => ({ aud: `${resource}/below` })],
    ['audience begins alike', ({ resource }) => ({ aud: `${resource}x` })],
    ['audience is a list of others', ({ resource }) => ({ aud: ['https://other.example', `${resource}x`] })],
    ['audience is the issuer', ({ login }) => ({ aud: login.issuer })],
    ['audience is the client', () => ({ aud: 'client', client_id: 'client' })],
    ['audience is an object', ({ resource }) => ({ aud: { [resource]: true } })],
    ['audience is empty', () => ({ aud: [] })],
    ['audience is missing', () => ({ aud: undefined })],
    ['resource is right, but not its audience', ({ resource }) => ({ aud: 'x', resource })],
    ['owner is nobody', () => ({ sub: undefined })],
    ['owner is bound by a key', () => ({ cnf: { jkt: 'x' } })],
    ['owner is bound by a certificate', () => ({ cnf: { 'x5t#S256': 'x' } })],
  ])('%s is refused', async (_, wrong) => {
    await expectNotTaken(guarded, await guarded.sign(wrong(guarded)))
  })

  test.each(['dpop+jwt', 'logout+jwt', 'secevent+jwt', 'oauth-id-jag+jwt'])('type is %s is refused', async (typ) => {
    await expectNotTaken(guarded, await guarded.sign({}, { typ }))
  })

  test('issuer and key are those of somebody else is refused', async () => {
    const evil = await testLogin()
    await expectNotTaken(guarded, await evil.issue({ resources: [guarded.resource] }))
    await expectNotTaken(guarded, await evil.sign({ ...claimsFor(guarded) }, { typ: 'at+jwt' }))
  })
})

describe('G07: a signature', () => {
  test.each(['none', 'None', 'NONE', 'nOnE', ''])('by %j is none', async (alg) => {
    const head = encode({ alg, typ: 'at+jwt', kid: 'key-1' })
    const token = `${head}.${encode(claimsFor(guarded))}.`
    await expectNotTaken(guarded, token)
    await expectNotTaken(guarded, `${token}AAAA`)
  })

  test.each(['RS256', 'ES256'])('with the public key of %s as a secret is none', async (algorithm) => {
    const guarded = await testGuarded({ login: { algorithm } })
    const [jwk] = guarded.login.keys.keys
    const key = await importJWK(jwk as never, algorithm, { extractable: true })
    const pem = await exportSPKI(key as never)
    const secrets = [pem, pem.trim(), pem.replaceAll('\n', ''), JSON.stringify(jwk), String(jwk?.n ?? jwk?.x), '']
    for (const secret of [...secrets, Buffer.from(pem.replace(/-----.*-----|\n/g, ''), 'base64')]) {
      for (const alg of ['HS256', 'HS384', 'HS512']) {
        const signed = `${encode({ alg, typ: 'at+jwt', kid: 'key-1' })}.${encode(claimsFor(guarded))}`
        const signature = createHmac(alg.replace('HS', 'sha'), secret).update(signed).digest('base64url')
        await expectNotTaken(guarded, `${signed}.${signature}`)
      }
    }
  })

  test.each<[string, Record<string, unknown>]>([
    ['with the id of the right one', { kid: 'key-1' }],
    ['with an id that nobody knows', { kid: 'key-9' }],
    ['without an id', {}],
    ['with a path for an id', { kid: '../../../../dev/null' }],
    ['with a query for an id', { kid: "x' UNION SELECT 'secret" }],
    ['with a header that has to be understood', { kid: 'key-1', crit: ['b64'], b64: true }],
  ])('by another key %s is none', async (_, header) => {
    const { privateKey, publicKey } = await generateKeyPair('ES256')
    const jwk = await exportJWK(publicKey)
    for (const more of [{}, { jwk }, { x5c: ['MIIB'] }]) {
      const sign = new SignJWT(claimsFor(guarded)).setProtectedHeader({
        alg: 'ES256',
        typ: 'at+jwt',
        ...header,
        ...more,
      } as never)
      await expectNotTaken(guarded, await sign.sign(privateKey, { crit: { b64: true } }))
    }
  })

  test('by a key whose place the token tells is none, and nobody looks there', async () => {
    const evil = await testLogin()
    const place = `${evil.issuer}/jwks`
    for (const header of [{ jku: place }, { x5u: place }, { kid: place }])
      await expectNotTaken(guarded, await evil.sign({ ...claimsFor(guarded) }, { typ: 'at+jwt', ...header }))
    expect(evil.requests).toEqual([])
  })

  test('without a key id is none while several keys could be meant', async () => {
    const guarded = await testGuarded()
    const token = await guarded.sign({}, { kid: undefined })
    await guarded.login.rotateKeys()
    await expectNotTaken(guarded, token)
  })

  test('by a key that was withdrawn is none, as soon as the server hears of it', async () => {
    const guarded = await testGuarded()
    const old = await guarded.issue()
    expectTaken(await guarded.call(bearer(old)))
    await guarded.login.rotateKeys({ forget: true })
    expectTaken(await guarded.call(bearer(await guarded.issue())))
    await expectNotTaken(guarded, old)
  })

  test('over something else is none', async () => {
    const token = await guarded.issue()
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
      await expectNotTaken(guarded, changed)
  })
})

test('G07: a token that is too long is not looked at, and the server is as well as before', async () => {
  for (const bytes of [8, 12]) {
    const token = `${'a'.repeat(bytes * 1024)}.${'b'.repeat(100)}.c`
    const answer: Answer = await guarded.call(bearer(token))
    expect([401, 431]).toContain(answer.status)
  }
  expectTaken(await guarded.call(bearer(await guarded.issue())))
})

test('G07: when the issuer cannot be reached, nobody gets in', async () => {
  const guarded = await testGuarded()
  guarded.login.set({ answers: { jwks: { status: 500 } } })
  const answer = await guarded.call(bearer(await guarded.issue()))
  expect(answer.status).toBe(503)
  expect(answer.body).not.toContain('inside')
  guarded.login.set({})
  expectTaken(await guarded.call(bearer(await guarded.issue())))
})

test('G11: what handlers, listeners and logs get of a token is not the token', async () => {
  const token = await guarded.issue({ subject: 'ada' })
  const answer = await guarded.server.send(modern('tools/call', tool('auth'), bearer(token)))
  expect(answer.body).toContain('ada')
  await guarded.server.send(modern('tools/call', tool('secret'), bearer(token)))
  await expectNotTaken(guarded, `${token}x`)
  const [, , signature = ''] = token.split('.')
  expect(answer.body).not.toContain(signature)
  expect(guarded.server.stderr()).not.toContain(signature)
})
