/** Attacks on DPoP with nonces (RFC 9449, sections 8 to 11). */
import * as jose from 'jose'
import { expect, test } from 'vitest'
import { sha256 } from '../../../../util/src/digest.ts'
import { createNotesServer, ERAS, HANDLERS, RESOURCE, startIssuer } from '../../../test-kit/auth/protected-server.ts'
import { createSealer, generateKey } from '../../stores/sealing/seal.ts'
import type { DpopVerifierOptions } from './dpop-verifier.ts'
import { protect } from './protect.ts'
import { jwt } from './verifiers/jwt.ts'

const OTHER = 'https://other.example/mcp'

/** Starts two resources of one issuer that require nonces, and the owner of a key with a token for both. */
async function start(options: DpopVerifierOptions = {}) {
  const { issuer, issue } = await startIssuer()
  const verify = jwt({ issuer, jwksUri: `${issuer}/jwks` })
  const serve = (resource: string) => {
    const dpop = { required: true, nonce: true, ...options }
    return HANDLERS.fetch(createNotesServer(), protect({ resource, authorizationServers: [issuer], verify, dpop }))
  }
  const { publicKey, privateKey } = await jose.generateKeyPair('ES256', { extractable: true })
  const jwk = await jose.exportJWK(publicKey)
  const token = await issue({ subject: 'ann', resources: [RESOURCE, OTHER], jkt: await jose.calculateJwkThumbprint(jwk) })
  const prove = async (claims: object): Promise<string> => {
    const iat = Math.floor((options.now?.() ?? Date.now()) / 1000)
    const whole = { htm: 'POST', htu: RESOURCE, iat, jti: crypto.randomUUID(), ath: await sha256(token), ...claims }
    return new jose.SignJWT(whole).setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk }).sign(privateKey)
  }
  const servers = { own: await serve(RESOURCE), other: await serve(OTHER), restarted: await serve(RESOURCE) }
  const call = (claims: object, server: keyof typeof servers = 'own') =>
    prove(claims).then((proof) => ERAS.modern(servers[server], 'whoami', { authorization: `DPoP ${token}`, dpop: proof }))
  const nonceOf = async (server: keyof typeof servers, htu: string): Promise<string> =>
    (await call({ htu }, server)).headers.get('dpop-nonce') ?? ''
  return { call, nonceOf, prove, servers, token }
}

test('a nonce is accepted, and a proof with it once', async () => {
  const { servers, nonceOf, prove, token } = await start()
  const proof = await prove({ nonce: await nonceOf('own', RESOURCE) })
  const call = () => ERAS.modern(servers.own, 'whoami', { authorization: `DPoP ${token}`, dpop: proof })
  expect([(await call()).status, (await call()).status]).toEqual([200, 401])
})

test('a proof that was made in advance is worthless: its nonce has expired', async () => {
  let time = Date.now()
  const { call, nonceOf } = await start({ now: () => time })
  const nonce = await nonceOf('own', RESOURCE)
  time += 4 * 60_000
  expect((await call({ nonce })).status).toBe(200)
  time += 2 * 60_000
  const late = await call({ nonce })
  expect([late.status, late.headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('use_dpop_nonce')])
  const next = late.headers.get('dpop-nonce') ?? ''
  expect((await call({ nonce: next })).status).toBe(200)
})

test('a nonce of another resource is refused, even if both have the same keys', async () => {
  const { call, nonceOf } = await start({ sealingKeys: [generateKey()] })
  const nonce = await nonceOf('other', OTHER)
  expect((await call({ htu: OTHER, nonce }, 'other')).status).toBe(200)
  expect((await call({ nonce })).status).toBe(401)
})

test('a nonce is accepted by all nodes with the same keys, and by no other', async () => {
  const shared = await start({ sealingKeys: [generateKey()] })
  expect((await shared.call({ nonce: await shared.nonceOf('restarted', RESOURCE) })).status).toBe(200)
  const separate = await start()
  expect((await separate.call({ nonce: await separate.nonceOf('restarted', RESOURCE) })).status).toBe(401)
})

test('other values that were sealed with the same keys are no nonces', async () => {
  const key = generateKey()
  const { call } = await start({ sealingKeys: [key] })
  const cursor = await createSealer({ keys: [key] }).seal('cursor', null, { ttlMs: 60_000, binding: RESOURCE })
  for (const nonce of [cursor, '', ['x'], { x: 1 }, null, 'x'.repeat(4000)]) expect((await call({ nonce })).status).toBe(401)
})

test('a proof for one resource is refused by another one', async () => {
  const { call, nonceOf } = await start()
  const nonce = await nonceOf('own', RESOURCE)
  for (const htu of [OTHER, 'https://user@api.example.com/mcp', 'https:api.example.com/mcp', 'https://api.example.com/mcp/x'])
    expect((await call({ htu, nonce })).status).toBe(401)
})
