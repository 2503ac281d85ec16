import * as jose from 'jose'
import { beforeEach, describe, expect, test } from 'vitest'
import { TokenRefused, VerifierUnavailable } from './errors.ts'
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

/** An issuer whose keys and clock are in our hand. */
function issuer(options: Partial<JwtOptions> = {}) {
  const state = {
    keys: [one.jwk],
    fetches: 0,
    time: 1_800_000_000_000,
    answer: undefined as undefined | (() => Promise<Response>),
  }
  const fetch = async (): Promise<Response> => {
    state.fetches++
    return state.answer ? state.answer() : Response.json({ keys: state.keys })
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
  let site = issuer()
  beforeEach(() => {
    site = issuer()
  })

  test('is read when it verifies', async () => {
    const token = await site.sign(one, { typ: 'at+jwt' }, { scope: 'a b', scp: ['b', 'c'], client_id: 'app', aud: ['x', 'y'] })
    expect(await site.verifier.verify(token)).toMatchObject({
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
        await expect(site.verifier.verify(`${b64({ alg })}.${payload}.${signature}`)).rejects.toThrow(TokenRefused)
  })

  test('G07 with the public key as a shared secret is refused', async () => {
    const secret = new TextEncoder().encode(JSON.stringify(one.jwk))
    const token = await site.sign({ key: secret, kid: 'one' }, { alg: 'HS256' })
    await expect(site.verifier.verify(token)).rejects.toThrow(/algorithm/)
  })

  test('G07 with a key that it brings along is refused', async () => {
    const mine = await makeKey('mine')
    for (const header of [
      { jwk: mine.jwk },
      { jku: 'https://evil.example/jwks' },
      { x5u: 'https://evil.example/x' },
      { kid: 'one' },
    ])
      await expect(site.verifier.verify(await site.sign({ ...mine, kid: undefined }, header))).rejects.toThrow(TokenRefused)
    expect(site.state.fetches).toBe(1)
  })

  test('G07 without a key id is good while only one key can be meant', async () => {
    const token = await site.sign({ key: one.key })
    expect(await site.verifier.verify(token)).toMatchObject({ subject: 'ann' })
    const other = issuer()
    other.state.keys = [one.jwk, two.jwk]
    await expect(other.verifier.verify(token)).rejects.toThrow(TokenRefused)
  })

  test('that was changed is refused', async () => {
    const [head, , signature] = (await site.sign(one)).split('.')
    const forged = `${head}.${b64({ iss: ISSUER, sub: 'eve', aud: 'x', exp: 4102444800 })}.${signature}`
    await expect(site.verifier.verify(forged)).rejects.toThrow('The token does not verify')
  })

  test.each(['logout+jwt', 'dpop+jwt', 'secevent+jwt', 'id+jwt'])('of the type %s is no access token', async (typ) => {
    await expect(site.verifier.verify(await site.sign(one, { typ }))).rejects.toThrow('not an access token')
  })

  test('with a critical header that is not understood is refused', async () => {
    const token = await site.sign(one, { crit: ['b64'], b64: false }).catch(() => undefined)
    if (token) await expect(site.verifier.verify(token)).rejects.toThrow(TokenRefused)
    const [, payload, signature] = (await site.sign(one)).split('.')
    const head = b64({ alg: 'ES256', kid: 'one', crit: ['x'], x: 1 })
    await expect(site.verifier.verify(`${head}.${payload}.${signature}`)).rejects.toThrow(TokenRefused)
  })

  test('is taken within the tolerance of clocks, and no longer', async () => {
    const token = await site.sign(one)
    site.state.time += 89_000
    expect(await site.verifier.verify(token)).toBeDefined()
    site.state.time += 2_000
    await expect(site.verifier.verify(token)).rejects.toThrow('expired')
  })

  test('of somebody else, and what is none, is left to others', async () => {
    for (const text of ['opaque', 'a.b', 'a.b.c', 'a.b.c.d.e', '..', await site.sign(one, {}, { iss: `${ISSUER}/` })])
      expect(await site.verifier.verify(text)).toBeUndefined()
    expect(site.state.fetches).toBe(0)
  })
})

describe('the keys of an issuer', () => {
  test('are fetched once, whoever asks', async () => {
    const { state, verifier, sign } = issuer()
    const token = await sign(one)
    await Promise.all(Array.from({ length: 50 }, () => verifier.verify(token)))
    expect(state.fetches).toBe(1)
  })

  test('are fetched again when a new one is used', async () => {
    const { state, verifier, sign } = issuer()
    await verifier.verify(await sign(one))
    state.keys = [two.jwk]
    state.time += 6_000
    const token = await sign(two)
    await Promise.all([verifier.verify(token), verifier.verify(token)])
    expect(state.fetches).toBe(2)
    await expect(verifier.verify(await sign(one))).rejects.toThrow(TokenRefused)
  })

  test('are not fetched for each key that somebody makes up', async () => {
    const { state, verifier, sign } = issuer()
    await verifier.verify(await sign(one))
    for (let turn = 0; turn < 20; turn++)
      await expect(verifier.verify(await sign({ key: one.key, kid: `made-up-${turn}` }))).rejects.toThrow(TokenRefused)
    expect(state.fetches).toBe(1)
  })

  test('are fetched again when they are old, and a key that is gone is good no more', async () => {
    const { state, verifier, sign } = issuer()
    await verifier.verify(await sign(one))
    state.keys = [two.jwk]
    state.time += 10 * 60_000
    await expect(verifier.verify(await sign(one))).rejects.toThrow(TokenRefused)
    expect(state.fetches).toBe(2)
  })

  test('are good for a day while the issuer cannot be reached', async () => {
    const { state, verifier, sign } = issuer()
    await verifier.verify(await sign(one))
    state.answer = () => Promise.reject(new Error('down'))
    state.time += 12 * 60 * 60_000
    expect(await verifier.verify(await sign(one))).toBeDefined()
    expect(await verifier.verify(await sign(one))).toBeDefined()
    expect(state.fetches).toBe(2)
    state.time += 13 * 60 * 60_000
    await expect(verifier.verify(await sign(one))).rejects.toThrow(VerifierUnavailable)
  })

  test.each<[string, () => Promise<Response>]>([
    ['an error', async () => new Response('no', { status: 500 })],
    ['no JSON', async () => new Response('<html>')],
    ['no keys', async () => Response.json({ error: 'x' })],
    ['more than fits', async () => Response.json({ keys: [], padding: 'x'.repeat(300_000) })],
    ['a redirect', async () => new Response(null, { status: 302, headers: { location: 'https://evil.example/' } })],
    ['nothing', () => Promise.reject(new TypeError('fetch failed'))],
  ])('make nobody a liar when the issuer answers with %s', async (_, answer) => {
    const { state, verifier, sign } = issuer()
    state.answer = answer
    await expect(verifier.verify(await sign(one))).rejects.toThrow(VerifierUnavailable)
    state.answer = undefined
    expect(await verifier.verify(await sign(one))).toBeDefined()
  })

  test('may be given instead', async () => {
    const { verifier, sign } = issuer({ keys: { keys: [one.jwk] } })
    expect(await verifier.verify(await sign(one))).toBeDefined()
    await expect(verifier.verify(await sign(two))).rejects.toThrow(TokenRefused)
  })
})
