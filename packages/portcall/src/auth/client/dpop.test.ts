import { createHash } from 'node:crypto'
import { calculateJwkThumbprint, decodeProtectedHeader, EmbeddedJWK, generateKeyPair, jwtVerify } from 'jose'
import { describe, expect, test } from 'vitest'
import { createDpopKeys } from './dpop-keys.ts'
import type { AuthorizationServer } from './types.ts'

const server = (...algorithms: string[]): AuthorizationServer => ({
  issuer: 'https://login.example.com',
  ...(algorithms.length > 0 && { dpop_signing_alg_values_supported: algorithms }),
})
const verify = (proof: string) => jwtVerify(proof, EmbeddedJWK, { typ: 'dpop+jwt' })
const url = new URL('https://mcp.example.com:8443/mcp?session=1#part')

describe('a proof', () => {
  test('AUX-001 names method, address without query, token and time, and is never the same', async () => {
    const dpop = await createDpopKeys({}).forNew(server('ES256'))
    const proofs = await Promise.all([1, 2].map(() => dpop.proof({ method: 'POST', url, accessToken: 'a.b.c' })))
    const [first, second] = await Promise.all(proofs.map(verify))
    expect(first?.protectedHeader).toMatchObject({ alg: 'ES256', typ: 'dpop+jwt', jwk: { kty: 'EC', crv: 'P-256' } })
    expect(first?.payload).toEqual({
      htm: 'POST',
      htu: 'https://mcp.example.com:8443/mcp',
      ath: createHash('sha256').update('a.b.c').digest('base64url'),
      jti: expect.stringMatching(/^[\w-]{36}$/),
      iat: expect.closeTo(Date.now() / 1000, -1),
    })
    expect(second?.payload.jti).not.toBe(first?.payload.jti)
  })

  test('shows the public key only', async () => {
    for (const keep of [false, true]) {
      const dpop = await createDpopKeys({ keep }).forNew(server())
      const { jwk } = decodeProtectedHeader(await dpop.proof({ method: 'GET', url }))
      expect(Object.keys(jwk ?? {}).sort()).toEqual(['crv', 'kty', 'x', 'y'])
    }
  })

  test('is signed with what the authorization server supports', async () => {
    for (const algorithm of ['ES256', 'Ed25519', 'ES384', 'PS256', 'RS256']) {
      const dpop = await createDpopKeys({}).forNew(server('none', 'HS256', algorithm))
      expect((await verify(await dpop.proof({ method: 'POST', url }))).protectedHeader.alg).toBe(algorithm)
    }
  })

  test('is not made when nothing fits', async () => {
    const fault = { code: 'AUTH_FAILED', fault: 'token_refused' }
    await expect(createDpopKeys({}).forNew(server('none', 'HS256'))).rejects.toMatchObject(fault)
    await expect(createDpopKeys({ algorithm: 'ES384' }).forNew(server('ES256'))).rejects.toMatchObject(fault)
  })
})

describe('the nonce of a proof', () => {
  const nonceIn = async (proof: string) => (await verify(proof)).payload['nonce']

  test('AUX-002 is the last one of the origin, for all keys of a provider', async () => {
    const keys = createDpopKeys({})
    const [one, other] = [await keys.forNew(server('ES256')), await keys.forNew(server('ES384'))]
    const elsewhere = new URL('https://login.example.com/token')
    one.heard({ url, nonce: 'first', proof: undefined })
    one.heard({ url, nonce: 'second', proof: undefined })
    one.heard({ url, nonce: undefined, proof: undefined })
    expect(await nonceIn(await other.proof({ method: 'POST', url: new URL('/other', url) }))).toBe('second')
    expect(await nonceIn(await one.proof({ method: 'POST', url: elsewhere }))).toBeUndefined()
  })

  test('AUX-002 is worth another try for each request that went out without it, and for no other', async () => {
    const dpop = await createDpopKeys({}).forNew(server())
    const early = await Promise.all([1, 2].map(() => dpop.proof({ method: 'POST', url })))
    for (const proof of early) expect(dpop.heard({ url, nonce: 'n', proof })).toBe(true)
    const proof = await dpop.proof({ method: 'POST', url })
    expect(dpop.heard({ url, nonce: 'n', proof })).toBe(false)
    expect(dpop.heard({ url, nonce: undefined, proof })).toBe(false)
    expect(dpop.heard({ url, nonce: 'm', proof })).toBe(true)
    expect(dpop.heard({ url, nonce: 'm', proof: undefined })).toBe(false)
  })

  test('is forgotten when there are too many origins', async () => {
    const dpop = await createDpopKeys({}).forNew(server())
    const at = (port: number) => new URL(`https://mcp.example.com:${port}/`)
    for (let port = 1; port <= 101; port++) dpop.heard({ url: at(port), nonce: `n${port}`, proof: undefined })
    expect(await nonceIn(await dpop.proof({ method: 'GET', url: at(1) }))).toBeUndefined()
    expect(await nonceIn(await dpop.proof({ method: 'GET', url: at(2) }))).toBe('n2')
  })
})

describe('the key of proofs', () => {
  const thumbprintOf = async (proof: string) => calculateJwkThumbprint(decodeProtectedHeader(proof).jwk ?? {})

  test('AUX-006 stays in the process, where its tokens find it again', async () => {
    const keys = createDpopKeys({})
    const dpop = await keys.forNew(server())
    expect(dpop.key).not.toHaveProperty('d')
    expect(await keys.forNew(server('ES256'))).toBe(dpop)
    expect(await keys.forStored(dpop.key)).toBe(dpop)
    expect(await createDpopKeys({}).forStored(dpop.key)).toBeUndefined()
  })

  test('outlives the process when it is to be kept', async () => {
    const dpop = await createDpopKeys({ keep: true }).forNew(server('EdDSA'))
    const stored = JSON.parse(JSON.stringify(dpop.key))
    const again = await createDpopKeys({}).forStored(stored)
    const proofs = await Promise.all([dpop, again!].map((one) => one.proof({ method: 'POST', url })))
    const [first, second] = await Promise.all(proofs.map(thumbprintOf))
    expect(second).toBe(first)
    await verify(proofs[1]!)
    expect(again?.key).toEqual(stored)
  })

  test('is the pair of the host, which need not be extractable', async () => {
    const pair = await generateKeyPair('ES384')
    const dpop = await createDpopKeys({ keys: pair, algorithm: 'ES384' }).forNew(server())
    expect((await verify(await dpop.proof({ method: 'POST', url }))).protectedHeader.alg).toBe('ES384')
    expect(dpop.key).not.toHaveProperty('d')
  })
})
