import * as jose from 'jose'
import { describe, expect, test } from 'vitest'
import { sha256 } from '../../../../util/src/digest.ts'
import { createNotesServer, ERAS, HANDLERS, RESOURCE, type Send, startIssuer } from '../../../test-kit/auth/protected-server.ts'
import { memoryStores } from '../../stores/memory/memory.ts'
import type { DpopVerifierOptions } from './dpop-verifier.ts'
import { protect } from './protect.ts'
import { jwt } from './verifiers/jwt.ts'

interface Holder {
  readonly jkt: string
  prove(claims?: object, header?: object, key?: CryptoKey | Uint8Array): Promise<string>
}

async function createHolder(alg = 'ES256'): Promise<Holder> {
  const { publicKey, privateKey } = await jose.generateKeyPair(alg, { extractable: true })
  const jwk = await jose.exportJWK(publicKey)
  return {
    jkt: await jose.calculateJwkThumbprint(jwk),
    prove(claims = {}, header = {}, key = privateKey) {
      const whole = { htm: 'POST', htu: RESOURCE, iat: Math.floor(Date.now() / 1000), jti: crypto.randomUUID(), ...claims }
      return new jose.SignJWT(whole).setProtectedHeader({ typ: 'dpop+jwt', alg, jwk, ...header }).sign(key)
    },
  }
}

async function startServer(dpop: DpopVerifierOptions | boolean = true, handler: keyof typeof HANDLERS = 'fetch') {
  const { issuer, issue } = await startIssuer()
  const verify = jwt({ issuer, jwksUri: `${issuer}/jwks` })
  const send = await HANDLERS[handler](
    createNotesServer(),
    protect({ resource: RESOURCE, authorizationServers: [issuer], verify, dpop }),
  )
  const ann = await createHolder()
  const token = await issue({ subject: 'ann', resources: [RESOURCE], jkt: ann.jkt })
  const free = await issue({ subject: 'ann', resources: [RESOURCE] })
  return { send, ann, token, free, ath: await sha256(token) }
}

function call(send: Send, token: string, proof?: string, scheme = 'DPoP'): Promise<Response> {
  return ERAS.modern(send, 'whoami', { authorization: `${scheme} ${token}`, ...(proof !== undefined && { dpop: proof }) })
}

const challengeOf = (response: Response): string => response.headers.get('www-authenticate') ?? ''

describe.each(['node', 'fetch'] as const)('a token that is bound to a key, with the %s handler,', (handler) => {
  test('AUX-003 is accepted once with the same proof', async () => {
    const { send, ann, token, ath } = await startServer(true, handler)
    const proof = await ann.prove({ ath })
    expect((await call(send, token, proof)).status).toBe(200)
    const again = await call(send, token, proof)
    expect([
      again.status,
      /DPoP error="invalid_dpop_proof", error_description="The proof was used before"/.test(challengeOf(again)),
    ]).toEqual([401, true])
    expect((await call(send, token, await ann.prove({ ath }))).status).toBe(200)
  })
})

describe('a token that is bound to a key', () => {
  const now = Math.floor(Date.now() / 1000)
  test.each<[string, object]>([
    ['for another method', { htm: 'GET' }],
    ['for another URL', { htu: 'https://evil.example/mcp' }],
    ['for a part of the URL', { htu: 'https://api.example.com/' }],
    ['that is old', { iat: now - 302 }],
    ['from the future', { iat: now + 400 }],
    ['without a time', { iat: undefined }],
    ['without an id', { jti: undefined }],
    ['with an id that is too long', { jti: 'x'.repeat(257) }],
    ['for another token', { ath: 'x' }],
    ['for no token', { ath: undefined }],
  ])('is refused with a proof %s', async (_, claims) => {
    const { send, ann, token, ath } = await startServer()
    const response = await call(send, token, await ann.prove({ ath, ...claims }))
    expect(response.status).toBe(401)
    expect(challengeOf(response)).toContain('DPoP error="invalid_dpop_proof"')
    expect(challengeOf(response)).toMatch(/^Bearer /)
  })

  test('is refused with an invalid proof', async () => {
    const { send, ann, token, ath } = await startServer()
    const thief = await createHolder()
    const { privateKey } = await jose.generateKeyPair('ES256')
    const secret = new TextEncoder().encode('x'.repeat(32))
    const jwk = await jose.exportJWK((await jose.generateKeyPair('ES256', { extractable: true })).privateKey)
    const proofs = [
      undefined,
      '',
      'nonsense',
      await thief.prove({ ath }),
      await ann.prove({ ath }, {}, privateKey),
      await ann.prove({ ath }, { typ: 'JWT' }),
      await ann.prove({ ath }, { alg: 'HS256' }, secret),
      await ann.prove({ ath }, { alg: 'HS256', jwk: { kty: 'oct', k: jose.base64url.encode(secret) } }, secret),
      await ann.prove({ ath }, { jwk }),
      `${await ann.prove({ ath })}, ${await ann.prove({ ath })}`,
      await ann.prove({ ath, padding: 'x'.repeat(9000) }),
    ]
    for (const proof of proofs) expect((await call(send, token, proof)).status).toBe(401)
  })

  test('is refused as a bearer token, with or without a proof', async () => {
    for (const dpop of [true, false]) {
      const { send, ann, token, ath } = await startServer(dpop)
      expect((await call(send, token, undefined, 'Bearer')).status).toBe(401)
      expect((await call(send, token, await ann.prove({ ath }), 'Bearer')).status).toBe(401)
    }
  })

  test('is refused if DPoP is not enabled', async () => {
    const { send, ann, token, ath } = await startServer(false)
    expect((await call(send, token, await ann.prove({ ath }))).status).toBe(401)
  })

  test('needs a nonce if required, which the response contains', async () => {
    const { send, ann, token, ath } = await startServer({ nonce: true })
    const first = await call(send, token, await ann.prove({ ath }))
    expect([first.status, challengeOf(first).includes('DPoP error="use_dpop_nonce"')]).toEqual([401, true])
    const nonce = first.headers.get('dpop-nonce') ?? ''
    expect((await call(send, token, await ann.prove({ ath, nonce }))).status).toBe(200)
    for (const invalid of ['x', `${nonce}x`, 7])
      expect((await call(send, token, await ann.prove({ ath, nonce: invalid }))).status).toBe(401)
  })

  test('is accepted by one of several nodes with a shared store', async () => {
    const { store } = memoryStores()
    const { issuer, issue } = await startIssuer()
    const verify = jwt({ issuer, jwksUri: `${issuer}/jwks` })
    const options = protect({ resource: RESOURCE, authorizationServers: [issuer], verify, dpop: { store } })
    const nodes = await Promise.all([0, 1, 2, 3].map(() => HANDLERS.fetch(createNotesServer(), options)))
    const ann = await createHolder('EdDSA')
    const token = await issue({ resources: [RESOURCE], jkt: ann.jkt })
    const proof = await ann.prove({ ath: await sha256(token) })
    const statuses = await Promise.all(nodes.map(async (send) => (await call(send, token, proof)).status))
    expect(statuses.sort()).toEqual([200, 401, 401, 401])
  })
})

describe('a token that is not bound to a key', () => {
  test('is refused with the scheme DPoP', async () => {
    const { send, ann, free } = await startServer()
    expect((await call(send, free, await ann.prove({ ath: await sha256(free) }))).status).toBe(401)
    expect((await call(send, free, undefined, 'Bearer')).status).toBe(200)
  })

  test('is refused if DPoP is required, as the metadata states', async () => {
    const { send, free } = await startServer({ required: true, algorithms: ['ES256'] })
    const response = await call(send, free, undefined, 'Bearer')
    expect(response.status).toBe(401)
    expect(challengeOf(response)).toMatch(/^DPoP error="invalid_token", .*algs="ES256", resource_metadata=/)
    expect(await (await send('/.well-known/oauth-protected-resource')).json()).toMatchObject({
      dpop_signing_alg_values_supported: ['ES256'],
      dpop_bound_access_tokens_required: true,
    })
  })
})

test('symmetric algorithms are refused', () => {
  const verify = async (): Promise<undefined> => undefined
  expect(() => protect({ resource: RESOURCE, verify, dpop: { algorithms: ['HS256'] } })).toThrow(/HS256/)
})
