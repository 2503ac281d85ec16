import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, generateKeyPair, jwtVerify } from 'jose'
import * as oauth from 'oauth4webapi'
import { describe, expect, test } from 'vitest'
import {
  INSECURE,
  PUBLIC_CLIENT,
  post,
  RESOURCE,
  type RunningServer,
  signIn,
  startServer,
} from '../../../test-kit/auth/oauth-client.ts'

const APP: oauth.Client = { client_id: 'app' }
const RESOURCE_SERVER = { client_id: 'resource-server', client_secret: 'g' }

describe('tokens', () => {
  const introspect = ({ server }: RunningServer, token: string): Promise<any> =>
    post(`${server.issuer}/introspect`, { ...RESOURCE_SERVER, token }).then(({ json }) => json)

  test('opaque tokens are described by introspection until they are revoked', async () => {
    const running = await startServer({ tokenFormat: 'opaque', clients: [PUBLIC_CLIENT, RESOURCE_SERVER] })
    const { access_token, refresh_token } = await signIn(running)
    expect(access_token).not.toContain('.')
    expect(await introspect(running, access_token)).toMatchObject({
      active: true,
      sub: 'user',
      aud: RESOURCE,
      iss: running.server.issuer,
      token_type: 'Bearer',
    })
    const response = await oauth.revocationRequest(running.metadata, APP, oauth.None(), refresh_token!, INSECURE)
    await oauth.processRevocationResponse(response)
    expect(await introspect(running, access_token)).toEqual({ active: false })
    expect(await introspect(running, refresh_token!)).toEqual({ active: false })
  })

  test('tokens of other clients cannot be revoked, and public clients cannot introspect', async () => {
    const running = await startServer({ clients: [PUBLIC_CLIENT, RESOURCE_SERVER, { client_id: 'other' }] })
    const { access_token } = await signIn(running)
    expect(await post(`${running.server.issuer}/revoke`, { client_id: 'other', token: access_token })).toMatchObject({
      status: 200,
    })
    expect((await introspect(running, access_token)).active).toBe(true)
    const response = await post(`${running.server.issuer}/introspect`, { client_id: 'app', token: access_token })
    expect(response.json.error).toBe('unauthorized_client')
  })

  test('a test can issue tokens with any claims', async () => {
    const { server } = await startServer()
    const token = await server.issue({
      subject: 'ada',
      scopes: ['a'],
      resources: [RESOURCE],
      ttlMs: -5000,
      claims: { client_id: undefined },
    })
    const { exp = 0, ...claims } = decodeJwt(token)
    expect(claims).toMatchObject({ sub: 'ada', scope: 'a', aud: RESOURCE })
    expect(claims).not.toHaveProperty('client_id')
    expect(exp).toBeLessThan(Date.now() / 1000)
  })

  test('tokens are signed with the new key after key rotation', async () => {
    const { server } = await startServer()
    const verify = async (token: string): Promise<unknown> => {
      const keys = (await (await fetch(`${server.issuer}/jwks`)).json()) as any
      return jwtVerify(token, createLocalJWKSet(keys)).then(({ payload }) => payload.sub)
    }
    const first = await server.issue()
    await server.rotateKeys()
    const second = await server.issue()
    expect(decodeProtectedHeader(first).kid).not.toBe(decodeProtectedHeader(second).kid)
    expect([await verify(first), await verify(second)]).toEqual(['user', 'user'])
    await server.rotateKeys({ forget: true })
    await expect(verify(first)).rejects.toThrow('no applicable key')
  })

  test.each(['RS256', 'EdDSA'])('tokens are signed with %s', async (algorithm) => {
    const { server } = await startServer({ algorithm })
    const { payload } = await jwtVerify(await server.issue(), createLocalJWKSet(server.keys as any), { algorithms: [algorithm] })
    expect(payload.sub).toBe('user')
  })
})

describe('DPoP proofs', () => {
  test('bind tokens to a key, with a nonce', async () => {
    const running = await startServer({ dpop: { required: true, nonces: true } })
    const handle = oauth.DPoP(APP, await oauth.generateKeyPair('ES256'))
    const { access_token, token_type, refresh_token } = await signIn(running, { dpop: handle })
    expect([token_type, (decodeJwt(access_token) as any).cnf.jkt]).toEqual(['dpop', await handle.calculateThumbprint()])
    expect(running.server.requestsTo('token').map(({ status }) => status)).toEqual([400, 200])

    const otherHandle = oauth.DPoP(APP, await oauth.generateKeyPair('ES256'))
    const refresh = async (dpop: oauth.DPoPHandle): Promise<unknown> => {
      const request = (): Promise<Response> =>
        oauth.refreshTokenGrantRequest(running.metadata, APP, oauth.None(), refresh_token!, { ...INSECURE, DPoP: dpop })
      const processed = oauth.processRefreshTokenResponse(running.metadata, APP, await request())
      return processed.catch(async () => oauth.processRefreshTokenResponse(running.metadata, APP, await request()))
    }
    await expect(refresh(otherHandle)).rejects.toMatchObject({ error: 'invalid_dpop_proof' })
    running.server.renewNonce()
    expect(await refresh(handle)).toMatchObject({ token_type: 'dpop' })
  })

  test('are single-use, and required if configured', async () => {
    const running = await startServer({ dpop: { required: true } })
    await expect(signIn(running)).rejects.toMatchObject({ error: 'invalid_dpop_proof' })
    const handle = oauth.DPoP(APP, await oauth.generateKeyPair('ES256'))
    await signIn(running, { dpop: handle })
    const { headers, url, parameters } = running.server.requestsTo('token').at(-1)!
    const repeated = await fetch(url, { method: 'POST', body: parameters, headers: { dpop: headers['dpop']! } })
    expect(await repeated.json()).toMatchObject({ error: 'invalid_dpop_proof', error_description: 'The proof was used before' })
  })
})

describe('assertions', () => {
  const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
  const BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
  const TYPE = 'urn:ietf:params:oauth:token-type:'

  test('an ID token is exchanged for a grant at one server, and for a token at another', async () => {
    const work = { client_id: 'work', client_secret: 'w' }
    const idp = await startServer({ clients: [work] })
    const idpKeys = (): any => idp.server.keys
    const { server } = await startServer({ clients: [work], trustedIssuers: [{ issuer: idp.server.issuer, keys: idpKeys }] })
    const subject_token = await idp.server.sign({ sub: 'ada', aud: 'work' }, { typ: 'JWT' })
    const exchangeParameters = {
      subject_token,
      subject_token_type: `${TYPE}id_token`,
      audience: server.issuer,
      resource: RESOURCE,
      scope: 'a',
    }
    const exchange = await post(`${idp.server.issuer}/token`, {
      ...work,
      ...exchangeParameters,
      grant_type: EXCHANGE,
      requested_token_type: `${TYPE}id-jag`,
    })
    expect(exchange.json).toMatchObject({ token_type: 'N_A', issued_token_type: `${TYPE}id-jag` })
    const assertion = exchange.json.access_token
    const granted = await post(`${server.issuer}/token`, { ...work, grant_type: BEARER, assertion })
    expect(decodeJwt(granted.json.access_token)).toMatchObject({ sub: 'ada', aud: RESOURCE, scope: 'a', iss: server.issuer })
    const repeated = await post(`${server.issuer}/token`, { ...work, grant_type: BEARER, assertion })
    expect(repeated.json.error).toBe('invalid_grant')
  })

  test.each([
    ['of an untrusted issuer', { iss: 'https://evil.example' }],
    ['for another server', { aud: 'https://other.example' }],
    ['after expiry', { exp: 1 }],
    ['for another client', { client_id: 'other' }],
  ])('assertions %s are rejected', async (_, invalid) => {
    const { server } = await startServer()
    const assertion = await server.sign({ sub: 'ada', aud: server.issuer, ...invalid })
    expect((await post(`${server.issuer}/token`, { client_id: 'app', grant_type: BEARER, assertion })).json.error).toBe(
      'invalid_grant',
    )
  })

  test('assertions signed with another key are rejected', async () => {
    const { server } = await startServer()
    const { privateKey } = await generateKeyPair('ES256')
    const { SignJWT } = await import('jose')
    const claims = { iss: server.issuer, sub: 'ada', aud: server.issuer, exp: Math.floor(Date.now() / 1000) + 60 }
    const assertion = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'key-1' }).sign(privateKey)
    expect((await post(`${server.issuer}/token`, { client_id: 'app', grant_type: BEARER, assertion })).json.error).toBe(
      'invalid_grant',
    )
  })
})
