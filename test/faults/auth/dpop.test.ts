/** Tokens that are bound to a key, and proofs of it that somebody else has seen or made. */
import { createHash } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer } from '../support/connection.ts'
import { bearer, expectTaken, type Guarded, startGuarded, testGuarded } from './support/guarded.ts'

const now = (): number => Math.floor(Date.now() / 1000)

/** Somebody who has a key. */
interface Holder {
  readonly jkt: string
  /** Makes a proof for a call with a token; members that are given are laid over, `undefined` takes away. */
  prove(token: string, over?: { claims?: Record<string, unknown>; header?: Record<string, unknown> }): Promise<string>
}

async function createHolder({ resource }: Guarded): Promise<Holder> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = await exportJWK(publicKey)
  return {
    jkt: await calculateJwkThumbprint(jwk),
    prove(token, { claims = {}, header = {} } = {}) {
      const ath = createHash('sha256').update(token).digest('base64url')
      const right = { htm: 'POST', htu: resource, iat: now(), jti: crypto.randomUUID(), ath }
      const head = { alg: 'ES256', typ: 'dpop+jwt', jwk, ...header }
      return new SignJWT({ ...right, ...claims }).setProtectedHeader(head as never).sign(privateKey)
    },
  }
}

let shared: Guarded
beforeAll(async () => void (shared = await startGuarded({ options: { dpop: { maxAgeS: 60 } } })))
afterAll(() => shared.close())

async function start(options?: {
  required?: boolean
  nonce?: boolean
}): Promise<{ guarded: Guarded; holder: Holder; token: string }> {
  const guarded = options ? await testGuarded({ options: { dpop: options } }) : shared
  const holder = await createHolder(guarded)
  return { guarded, holder, token: await guarded.issue({ jkt: holder.jkt }) }
}

const bound = (token: string, proof: string): Record<string, string> => ({ authorization: `DPoP ${token}`, dpop: proof })

function expectNoProof({ status, headers, body }: Answer): void {
  expect(status).toBe(401)
  expect(headers['www-authenticate']).toMatch(/error="(invalid_dpop_proof|invalid_token)"/)
  expect(body).not.toContain('inside')
}

test('G07: a token with its proof is taken', async () => {
  const { guarded, holder, token } = await start()
  expectTaken(await guarded.call(bound(token, await holder.prove(token))))
})

test('G07: a proof is good once, also when both come at once', async () => {
  const { guarded, holder, token } = await start()
  const proof = await holder.prove(token)
  const answers = await Promise.all(Array.from({ length: 10 }, () => guarded.call(bound(token, proof))))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expectNoProof(await guarded.call(bound(token, proof)))
})

test('G07: a token that is bound is nothing without its proof', async () => {
  const { guarded, holder, token } = await start()
  expectNoProof(await guarded.call(bearer(token)))
  expectNoProof(await guarded.call({ authorization: `DPoP ${token}` }))
  expectNoProof(await guarded.call({ ...bearer(token), dpop: await holder.prove(token) }))
})

describe('G07: a proof', () => {
  test.each<[string, (guarded: Guarded) => Record<string, unknown>]>([
    ['of another method', () => ({ htm: 'GET' })],
    ['of another address', () => ({ htu: 'https://other.example/mcp' })],
    ['of a path below', ({ resource }) => ({ htu: `${resource}/below` })],
    ['of no address', () => ({ htu: undefined })],
    ['that is old', () => ({ iat: now() - 120 })],
    ['of the future', () => ({ iat: now() + 120 })],
    ['of no time', () => ({ iat: undefined })],
    ['without an id', () => ({ jti: undefined })],
    ['with an id of 10 KB', () => ({ jti: 'x'.repeat(5000) })],
    ['for another token', () => ({ ath: createHash('sha256').update('x').digest('base64url') })],
    ['for no token', () => ({ ath: undefined })],
  ])('%s is none', async (_, wrong) => {
    const { guarded, holder, token } = await start()
    expectNoProof(await guarded.call(bound(token, await holder.prove(token, { claims: wrong(guarded) }))))
  })

  test.each<[string, Record<string, unknown>]>([
    ['of another type', { typ: 'JWT' }],
    ['of no type', { typ: undefined }],
    ['without its key', { jwk: undefined }],
    ['with an id for a key', { jwk: undefined, kid: 'key-1' }],
  ])('%s is none', async (_, header) => {
    const { guarded, holder, token } = await start()
    expectNoProof(await guarded.call(bound(token, await holder.prove(token, { header }))))
  })

  test('with a key of somebody else is none', async () => {
    const { guarded, token } = await start()
    const thief = await createHolder(guarded)
    expectNoProof(await guarded.call(bound(token, await thief.prove(token))))
  })

  test('that shows its private key, or is signed with what it shows as a secret, is none', async () => {
    const { guarded, token } = await start()
    const secret: JWK = { kty: 'oct', k: 'AAAA' }
    const claims = { htm: 'POST', htu: guarded.resource, iat: now(), jti: 'x' }
    const sign = new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ: 'dpop+jwt', jwk: secret as never })
    expectNoProof(await guarded.call(bound(token, await sign.sign(new Uint8Array(32)))))
  })

  test('that is not signed is none', async () => {
    const { guarded, holder, token } = await start()
    const [, body = ''] = (await holder.prove(token)).split('.')
    const head = Buffer.from(JSON.stringify({ alg: 'none', typ: 'dpop+jwt' })).toString('base64url')
    expectNoProof(await guarded.call(bound(token, `${head}.${body}.`)))
  })

  test('beside another one is none', async () => {
    const { guarded, holder, token } = await start()
    const proofs = await Promise.all([holder.prove(token), holder.prove(token)])
    const fields: Array<[string, string]> = [
      ['Authorization', `DPoP ${token}`],
      ...proofs.map((proof): [string, string] => ['DPoP', proof]),
    ]
    expectNoProof(await guarded.call(fields))
  })
})

test('G07: where nonces are wanted, a proof with none, an old one or one that was made up is none', async () => {
  const { guarded, holder, token } = await start({ nonce: true })
  const first = await guarded.call(bound(token, await holder.prove(token)))
  expect(first.headers['www-authenticate']).toContain('use_dpop_nonce')
  const nonce = first.headers['dpop-nonce']!
  const withNonce = async (value: string): Promise<Answer> =>
    guarded.call(bound(token, await holder.prove(token, { claims: { nonce: value } })))
  for (const wrong of ['x', `${nonce}x`, nonce.slice(1), '']) expect((await withNonce(wrong)).status).toBe(401)
  expectTaken(await withNonce(nonce))
})

test('G07: where keys are required, a token that is bound to none is refused', async () => {
  const { guarded, holder } = await start({ required: true })
  const free = await guarded.issue()
  expectNoProof(await guarded.call(bearer(free)))
  expectNoProof(await guarded.call(bound(free, await holder.prove(free))))
})
