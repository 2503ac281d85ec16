/** Tokens that are bound to a key, and proofs that are stolen, forged or invalid. */
import { createHash } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer } from '../support/connection.ts'
import { bearer, expectAccepted, startTokenServer, type TokenServer, testTokenServer } from './support/token-server.ts'

const now = (): number => Math.floor(Date.now() / 1000)

/** The holder of a key. */
interface Holder {
  readonly jkt: string
  /** Creates a proof for a call with a token. `overrides` replaces claims and header members; `undefined` removes them. */
  prove(token: string, overrides?: { claims?: Record<string, unknown>; header?: Record<string, unknown> }): Promise<string>
}

async function createHolder({ resource }: TokenServer): Promise<Holder> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = await exportJWK(publicKey)
  return {
    jkt: await calculateJwkThumbprint(jwk),
    prove(token, { claims = {}, header = {} } = {}) {
      const ath = createHash('sha256').update(token).digest('base64url')
      const valid = { htm: 'POST', htu: resource, iat: now(), jti: crypto.randomUUID(), ath }
      const head = { alg: 'ES256', typ: 'dpop+jwt', jwk, ...header }
      return new SignJWT({ ...valid, ...claims }).setProtectedHeader(head as never).sign(privateKey)
    },
  }
}

let shared: TokenServer
beforeAll(async () => void (shared = await startTokenServer({ options: { dpop: { maxProofAgeMs: 60_000 } } })))
afterAll(() => shared.close())

async function start(options?: {
  required?: boolean
  nonce?: boolean
}): Promise<{ target: TokenServer; holder: Holder; token: string }> {
  const target = options ? await testTokenServer({ options: { dpop: options } }) : shared
  const holder = await createHolder(target)
  return { target, holder, token: await target.issue({ jkt: holder.jkt }) }
}

const bound = (token: string, proof: string): Record<string, string> => ({ authorization: `DPoP ${token}`, dpop: proof })

function expectRefusedProof({ status, headers, body }: Answer): void {
  expect(status).toBe(401)
  expect(headers['www-authenticate']).toMatch(/error="(invalid_dpop_proof|invalid_token)"/)
  expect(body).not.toContain('inside')
}

test('G07: a token with its proof is accepted', async () => {
  const { target, holder, token } = await start()
  expectAccepted(await target.call(bound(token, await holder.prove(token))))
})

test('G07: a proof is accepted once, also by concurrent requests', async () => {
  const { target, holder, token } = await start()
  const proof = await holder.prove(token)
  const answers = await Promise.all(Array.from({ length: 10 }, () => target.call(bound(token, proof))))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expectRefusedProof(await target.call(bound(token, proof)))
})

test('G07: a bound token is refused without its proof', async () => {
  const { target, holder, token } = await start()
  expectRefusedProof(await target.call(bearer(token)))
  expectRefusedProof(await target.call({ authorization: `DPoP ${token}` }))
  expectRefusedProof(await target.call({ ...bearer(token), dpop: await holder.prove(token) }))
})

describe('G07: a proof', () => {
  test.each<[string, (target: TokenServer) => Record<string, unknown>]>([
    ['for another method', () => ({ htm: 'GET' })],
    ['for another URL', () => ({ htu: 'https://other.example/mcp' })],
    ['for a path below', ({ resource }) => ({ htu: `${resource}/below` })],
    ['without a URL', () => ({ htu: undefined })],
    ['that is old', () => ({ iat: now() - 120 })],
    ['from the future', () => ({ iat: now() + 120 })],
    ['without a time', () => ({ iat: undefined })],
    ['without an id', () => ({ jti: undefined })],
    ['with an id of 10 KB', () => ({ jti: 'x'.repeat(5000) })],
    ['for another token', () => ({ ath: createHash('sha256').update('x').digest('base64url') })],
    ['for no token', () => ({ ath: undefined })],
  ])('%s is refused', async (_, wrong) => {
    const { target, holder, token } = await start()
    expectRefusedProof(await target.call(bound(token, await holder.prove(token, { claims: wrong(target) }))))
  })

  test.each<[string, Record<string, unknown>]>([
    ['of another type', { typ: 'JWT' }],
    ['without a type', { typ: undefined }],
    ['without its key', { jwk: undefined }],
    ['with a key id instead of a key', { jwk: undefined, kid: 'key-1' }],
  ])('%s is refused', async (_, header) => {
    const { target, holder, token } = await start()
    expectRefusedProof(await target.call(bound(token, await holder.prove(token, { header }))))
  })

  test('with the key of another client is refused', async () => {
    const { target, token } = await start()
    const thief = await createHolder(target)
    expectRefusedProof(await target.call(bound(token, await thief.prove(token))))
  })

  test('with a symmetric key is refused', async () => {
    const { target, token } = await start()
    const secret: JWK = { kty: 'oct', k: 'AAAA' }
    const claims = { htm: 'POST', htu: target.resource, iat: now(), jti: 'x' }
    const sign = new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ: 'dpop+jwt', jwk: secret as never })
    expectRefusedProof(await target.call(bound(token, await sign.sign(new Uint8Array(32)))))
  })

  test('without a signature is refused', async () => {
    const { target, holder, token } = await start()
    const [, body = ''] = (await holder.prove(token)).split('.')
    const head = Buffer.from(JSON.stringify({ alg: 'none', typ: 'dpop+jwt' })).toString('base64url')
    expectRefusedProof(await target.call(bound(token, `${head}.${body}.`)))
  })

  test('next to another one is refused', async () => {
    const { target, holder, token } = await start()
    const proofs = await Promise.all([holder.prove(token), holder.prove(token)])
    const fields: Array<[string, string]> = [
      ['Authorization', `DPoP ${token}`],
      ...proofs.map((proof): [string, string] => ['DPoP', proof]),
    ]
    expectRefusedProof(await target.call(fields))
  })
})

test('G07: if nonces are required, a proof without a valid nonce is refused', async () => {
  const { target, holder, token } = await start({ nonce: true })
  const first = await target.call(bound(token, await holder.prove(token)))
  expect(first.headers['www-authenticate']).toContain('use_dpop_nonce')
  const nonce = first.headers['dpop-nonce']!
  const withNonce = async (value: string): Promise<Answer> =>
    target.call(bound(token, await holder.prove(token, { claims: { nonce: value } })))
  for (const invalid of ['x', `${nonce}x`, nonce.slice(1), '']) expect((await withNonce(invalid)).status).toBe(401)
  expectAccepted(await withNonce(nonce))
})

test('G07: if DPoP is required, a token that is not bound to a key is refused', async () => {
  const { target, holder } = await start({ required: true })
  const free = await target.issue()
  expectRefusedProof(await target.call(bearer(free)))
  expectRefusedProof(await target.call(bound(free, await holder.prove(free))))
})
