import { createHash } from 'node:crypto'
import { calculateJwkThumbprint, decodeProtectedHeader, EmbeddedJWK, generateKeyPair, jwtVerify } from 'jose'
import { describe, expect, test } from 'vitest'
import type { AuthorizationServer } from '../types.ts'
import { createDpopKeys } from './keys.ts'

const server = (...algorithms: string[]): AuthorizationServer => ({
  issuer: 'https://login.example.com',
  ...(algorithms.length > 0 && { dpop_signing_alg_values_supported: algorithms }),
})
const verify = (proof: string) => jwtVerify(proof, EmbeddedJWK, { typ: 'dpop+jwt' })
const url = new URL('https://mcp.example.com:8443/mcp?session=1#part')

describe('a proof', () => {
  test('AUX-001 contains method, URL without query, token hash and time, and is unique', async () => {
    const dpop = await createDpopKeys({}).forNew(server('ES256'))
    const proofs = await Promise.all([1, 2].map(() => dpop.createProof({ method: 'POST', url, accessToken: 'a.b.c' })))
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

  test('contains the public key only', async () => {
    for (const persist of [false, true]) {
      const dpop = await createDpopKeys({ persist }).forNew(server())
      const { jwk } = decodeProtectedHeader(await dpop.createProof({ method: 'GET', url }))
      expect(Object.keys(jwk ?? {}).sort()).toEqual(['crv', 'kty', 'x', 'y'])
    }
  })

  test('is signed with an algorithm that the authorization server supports', async () => {
    for (const algorithm of ['ES256', 'Ed25519', 'ES384', 'PS256', 'RS256']) {
      const dpop = await createDpopKeys({}).forNew(server('none', 'HS256', algorithm))
      expect((await verify(await dpop.createProof({ method: 'POST', url }))).protectedHeader.alg).toBe(algorithm)
    }
  })

  test('is not created without a supported algorithm', async () => {
    const tokenRefused = { code: 'AUTH_FAILED', reason: 'token_refused' }
    await expect(createDpopKeys({}).forNew(server('none', 'HS256'))).rejects.toMatchObject(tokenRefused)
    await expect(createDpopKeys({ algorithm: 'ES384' }).forNew(server('ES256'))).rejects.toMatchObject(tokenRefused)
  })
})

describe('the nonce of a proof', () => {
  const nonceIn = async (proof: string) => (await verify(proof)).payload['nonce']

  test('AUX-002 is the last one of the origin, shared by all keys of a provider', async () => {
    const keys = createDpopKeys({})
    const [one, other] = [await keys.forNew(server('ES256')), await keys.forNew(server('ES384'))]
    const elsewhere = new URL('https://login.example.com/token')
    one.recordNonce({ url, nonce: 'first', proof: undefined })
    one.recordNonce({ url, nonce: 'second', proof: undefined })
    one.recordNonce({ url, nonce: undefined, proof: undefined })
    expect(await nonceIn(await other.createProof({ method: 'POST', url: new URL('/other', url) }))).toBe('second')
    expect(await nonceIn(await one.createProof({ method: 'POST', url: elsewhere }))).toBeUndefined()
  })

  test('AUX-002 causes a retry of each request that was sent without it, and of no other', async () => {
    const dpop = await createDpopKeys({}).forNew(server())
    const proofs = await Promise.all([1, 2].map(() => dpop.createProof({ method: 'POST', url })))
    for (const proof of proofs) expect(dpop.recordNonce({ url, nonce: 'n', proof })).toBe(true)
    const proof = await dpop.createProof({ method: 'POST', url })
    expect(dpop.recordNonce({ url, nonce: 'n', proof })).toBe(false)
    expect(dpop.recordNonce({ url, nonce: undefined, proof })).toBe(false)
    expect(dpop.recordNonce({ url, nonce: 'm', proof })).toBe(true)
    expect(dpop.recordNonce({ url, nonce: 'm', proof: undefined })).toBe(false)
  })

  test('is evicted when there are too many origins', async () => {
    const dpop = await createDpopKeys({}).forNew(server())
    const at = (port: number) => new URL(`https://mcp.example.com:${port}/`)
    for (let port = 1; port <= 101; port++) dpop.recordNonce({ url: at(port), nonce: `n${port}`, proof: undefined })
    expect(await nonceIn(await dpop.createProof({ method: 'GET', url: at(1) }))).toBeUndefined()
    expect(await nonceIn(await dpop.createProof({ method: 'GET', url: at(2) }))).toBe('n2')
  })
})

describe('the key of proofs', () => {
  const thumbprintOf = async (proof: string) => calculateJwkThumbprint(decodeProtectedHeader(proof).jwk ?? {})

  test('AUX-006 is not stored, and is found again by its public key', async () => {
    const keys = createDpopKeys({})
    const dpop = await keys.forNew(server())
    expect(dpop.storedKey).not.toHaveProperty('d')
    expect(await keys.forNew(server('ES256'))).toBe(dpop)
    expect(await keys.forStored(dpop.storedKey)).toBe(dpop)
    expect(await createDpopKeys({}).forStored(dpop.storedKey)).toBeUndefined()
  })

  test('can be imported by another process if it is persisted', async () => {
    const dpop = await createDpopKeys({ persist: true }).forNew(server('EdDSA'))
    const stored = JSON.parse(JSON.stringify(dpop.storedKey))
    const again = await createDpopKeys({}).forStored(stored)
    const proofs = await Promise.all([dpop, again!].map((one) => one.createProof({ method: 'POST', url })))
    const [first, second] = await Promise.all(proofs.map(thumbprintOf))
    expect(second).toBe(first)
    await verify(proofs[1]!)
    expect(again?.storedKey).toEqual(stored)
  })

  test('may be a configured key pair that is not extractable', async () => {
    const pair = await generateKeyPair('ES384')
    const dpop = await createDpopKeys({ keyPair: pair, algorithm: 'ES384' }).forNew(server())
    expect((await verify(await dpop.createProof({ method: 'POST', url }))).protectedHeader.alg).toBe('ES384')
    expect(dpop.storedKey).not.toHaveProperty('d')
  })
})
