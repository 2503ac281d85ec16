import * as jose from 'jose'
import { beforeEach, describe, expect, test } from 'vitest'
import { InvalidTokenError, VerifierUnavailableError } from '../errors.ts'
import { type JwtOptions, jwt } from './jwt.ts'

const ISSUER = 'https://login.example.com'
const JWKS = `${ISSUER}/jwks.json`

interface Key {
  readonly kid: string
  readonly jwk: jose.JWK
  readonly key: CryptoKey
}

async function makeKey(kid: string, alg = 'ES256'): Promise<Key> {
  const { publicKey, privateKey } = await jose.generateKeyPair(alg)
  return { kid, jwk: { ...(await jose.exportJWK(publicKey)), kid, alg, use: 'sig' }, key: privateKey }
}

const pair = await Promise.all([makeKey('one'), makeKey('two')])
const [one, two] = pair

/** A fake issuer whose keys and clock the test controls. */
function createIssuer(options: Partial<JwtOptions> = {}) {
  const state = {
    keys: [one.jwk],
    fetches: 0,
    time: 1_800_000_000_000,
    respond: undefined as undefined | (() => Promise<Response>),
  }
  const fetch = async (): Promise<Response> => {
    state.fetches++
    return state.respond ? state.respond() : Response.json({ keys: state.keys })
  }
  const verifier = jwt({
    issuer: ISSUER,
    jwksUri: JWKS,
    fetch: fetch as typeof globalThis.fetch,
    now: () => state.time,
    ...options,
  })
  const sign = (
    { key, kid }: { key: CryptoKey | Uint8Array; kid?: string | undefined },
    header: object = {},
    claims: object = {},
  ) => {
    const now = state.time / 1000
    const payload = { iss: ISSUER, sub: 'ann', aud: 'x', iat: now, exp: now + 60, ...claims }
    return new jose.SignJWT(payload).setProtectedHeader({ alg: 'ES256', ...(kid !== undefined && { kid }), ...header }).sign(key)
  }
  return { state, verifier, sign }
}

const b64 = (value: unknown): string => jose.base64url.encode(JSON.stringify(value))

describe('a JWT', () => {
  let fixture = createIssuer()
  beforeEach(() => {
    fixture = createIssuer()
  })

  test('is accepted with a valid signature', async () => {
    const token = await fixture.sign(one, { typ: 'at+jwt' }, { scope: 'a b', scp: ['b', 'c'], client_id: 'app', aud: ['x', 'y'] })
    expect(await fixture.verifier.verify(token)).toMatchObject({
      issuer: ISSUER,
      subject: 'ann',
      clientId: 'app',
      audience: ['x', 'y'],
      scopes: ['a', 'b', 'c'],
    })
  })

  test('G07 with alg none is refused', async () => {
    const payload = b64({ iss: ISSUER, sub: 'ann', aud: 'x', exp: 4102444800 })
    for (const alg of ['none', 'None', 'nOnE', ''])
      for (const signature of ['', 'AAAA'])
        await expect(fixture.verifier.verify(`${b64({ alg })}.${payload}.${signature}`)).rejects.toThrow(InvalidTokenError)
  })

  test('G07 with the public key as a shared secret is refused', async () => {
    const secret = new TextEncoder().encode(JSON.stringify(one.jwk))
    const token = await fixture.sign({ key: secret, kid: 'one' }, { alg: 'HS256' })
    await expect(fixture.verifier.verify(token)).rejects.toThrow(/algorithm/)
  })

  test('G07 with an embedded key is refused', async () => {
    const ownKey = await makeKey('own')
    for (const header of [
      { jwk: ownKey.jwk },
      { jku: 'https://evil.example/jwks' },
      { x5u: 'https://evil.example/x' },
      { kid: 'one' },
    ])
      await expect(fixture.verifier.verify(await fixture.sign({ ...ownKey, kid: undefined }, header))).rejects.toThrow(
        InvalidTokenError,
      )
    expect(fixture.state.fetches).toBe(1)
  })

  test('G07 without a key id is accepted if there is only one key', async () => {
    const token = await fixture.sign({ key: one.key })
    expect(await fixture.verifier.verify(token)).toMatchObject({ subject: 'ann' })
    const other = createIssuer()
    other.state.keys = [one.jwk, two.jwk]
    await expect(other.verifier.verify(token)).rejects.toThrow(InvalidTokenError)
  })

  test('with a changed payload is refused', async () => {
    const [head, , signature] = (await fixture.sign(one)).split('.')
    const forged = `${head}.${b64({ iss: ISSUER, sub: 'eve', aud: 'x', exp: 4102444800 })}.${signature}`
    await expect(fixture.verifier.verify(forged)).rejects.toThrow('The token is malformed or its signature is invalid')
  })

  test.each(['logout+jwt', 'dpop+jwt', 'secevent+jwt', 'id+jwt'])('of the type %s is not an access token', async (typ) => {
    await expect(fixture.verifier.verify(await fixture.sign(one, { typ }))).rejects.toThrow('not an access token')
  })

  test('with an unknown critical header is refused', async () => {
    const token = await fixture.sign(one, { crit: ['b64'], b64: false }).catch(() => undefined)
    if (token) await expect(fixture.verifier.verify(token)).rejects.toThrow(InvalidTokenError)
    const [, payload, signature] = (await fixture.sign(one)).split('.')
    const head = b64({ alg: 'ES256', kid: 'one', crit: ['x'], x: 1 })
    await expect(fixture.verifier.verify(`${head}.${payload}.${signature}`)).rejects.toThrow(InvalidTokenError)
  })

  test('is accepted within the clock tolerance', async () => {
    const token = await fixture.sign(one)
    fixture.state.time += 89_000
    expect(await fixture.verifier.verify(token)).toBeDefined()
    fixture.state.time += 2_000
    await expect(fixture.verifier.verify(token)).rejects.toThrow('expired')
  })

  test('of another issuer is unknown, and so is any other text', async () => {
    for (const text of ['opaque', 'a.b', 'a.b.c', 'a.b.c.d.e', '..', await fixture.sign(one, {}, { iss: `${ISSUER}/x` })])
      expect(await fixture.verifier.verify(text)).toBeUndefined()
    expect(fixture.state.fetches).toBe(0)
  })

  test.each([`${ISSUER}/`, `${ISSUER}:443`, ISSUER.toUpperCase()])(
    'of the same issuer, written as %s, is accepted',
    async (iss) => {
      expect(await fixture.verifier.verify(await fixture.sign(one, {}, { iss }))).toMatchObject({ issuer: ISSUER })
    },
  )
})

describe('the keys of an issuer', () => {
  test('are fetched once for concurrent calls', async () => {
    const { state, verifier, sign } = createIssuer()
    const token = await sign(one)
    await Promise.all(Array.from({ length: 50 }, () => verifier.verify(token)))
    expect(state.fetches).toBe(1)
  })

  test('are fetched again for an unknown key id', async () => {
    const { state, verifier, sign } = createIssuer()
    await verifier.verify(await sign(one))
    state.keys = [two.jwk]
    state.time += 6_000
    const token = await sign(two)
    await Promise.all([verifier.verify(token), verifier.verify(token)])
    expect(state.fetches).toBe(2)
    await expect(verifier.verify(await sign(one))).rejects.toThrow(InvalidTokenError)
  })

  test('are not fetched for each unknown key id', async () => {
    const { state, verifier, sign } = createIssuer()
    await verifier.verify(await sign(one))
    for (let attempt = 0; attempt < 20; attempt++)
      await expect(verifier.verify(await sign({ key: one.key, kid: `unknown-${attempt}` }))).rejects.toThrow(InvalidTokenError)
    expect(state.fetches).toBe(1)
  })

  test('are fetched again when the cache expires, and removed keys are no longer accepted', async () => {
    const { state, verifier, sign } = createIssuer()
    await verifier.verify(await sign(one))
    state.keys = [two.jwk]
    state.time += 10 * 60_000
    await expect(verifier.verify(await sign(one))).rejects.toThrow(InvalidTokenError)
    expect(state.fetches).toBe(2)
  })

  test('are used for a day while the issuer cannot be reached', async () => {
    const { state, verifier, sign } = createIssuer()
    await verifier.verify(await sign(one))
    state.respond = () => Promise.reject(new Error('down'))
    state.time += 12 * 60 * 60_000
    expect(await verifier.verify(await sign(one))).toBeDefined()
    expect(await verifier.verify(await sign(one))).toBeDefined()
    expect(state.fetches).toBe(2)
    state.time += 13 * 60 * 60_000
    await expect(verifier.verify(await sign(one))).rejects.toThrow(VerifierUnavailableError)
  })

  test.each<[string, () => Promise<Response>]>([
    ['an error', async () => new Response('no', { status: 500 })],
    ['no JSON', async () => new Response('<html>')],
    ['no keys', async () => Response.json({ error: 'x' })],
    ['a response that is too large', async () => Response.json({ keys: [], padding: 'x'.repeat(300_000) })],
    ['a redirect', async () => new Response(null, { status: 302, headers: { location: 'https://evil.example/' } })],
    ['a network error', () => Promise.reject(new TypeError('fetch failed'))],
  ])('are unavailable while the issuer responds with %s', async (_, respond) => {
    const { state, verifier, sign } = createIssuer()
    state.respond = respond
    await expect(verifier.verify(await sign(one))).rejects.toThrow(VerifierUnavailableError)
    state.respond = undefined
    expect(await verifier.verify(await sign(one))).toBeDefined()
  })

  test('may be configured instead', async () => {
    const { verifier, sign } = createIssuer({ keys: { keys: [one.jwk] } })
    expect(await verifier.verify(await sign(one))).toBeDefined()
    await expect(verifier.verify(await sign(two))).rejects.toThrow(InvalidTokenError)
  })
})
