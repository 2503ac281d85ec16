import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, generateKeyPair, jwtVerify } from 'jose'
import * as oauth from 'oauth4webapi'
import { describe, expect, test } from 'vitest'
import { INSECURE, logIn, type Played, PUBLIC, play, post, RESOURCE } from './client.test-kit.ts'

const APP: oauth.Client = { client_id: 'app' }
const GUARD = { client_id: 'guard', client_secret: 'g' }

describe('tokens', () => {
  const introspect = ({ login }: Played, token: string): Promise<any> =>
    post(`${login.issuer}/introspect`, { ...GUARD, token }).then(({ json }) => json)

  test('that mean nothing are told by introspection, until they are revoked', async () => {
    const played = await play({ tokens: 'opaque', clients: [PUBLIC, GUARD] })
    const { access_token, refresh_token } = await logIn(played)
    expect(access_token).not.toContain('.')
    expect(await introspect(played, access_token)).toMatchObject({
      active: true,
      sub: 'user',
      aud: RESOURCE,
      iss: played.login.issuer,
      token_type: 'Bearer',
    })
    const response = await oauth.revocationRequest(played.as, APP, oauth.None(), refresh_token!, INSECURE)
    await oauth.processRevocationResponse(response)
    expect(await introspect(played, access_token)).toEqual({ active: false })
    expect(await introspect(played, refresh_token!)).toEqual({ active: false })
  })

  test('of others cannot be revoked, and introspection is not for everybody', async () => {
    const played = await play({ clients: [PUBLIC, GUARD, { client_id: 'other' }] })
    const { access_token } = await logIn(played)
    expect(await post(`${played.login.issuer}/revoke`, { client_id: 'other', token: access_token })).toMatchObject({
      status: 200,
    })
    expect((await introspect(played, access_token)).active).toBe(true)
    const asked = await post(`${played.login.issuer}/introspect`, { client_id: 'app', token: access_token })
    expect(asked.json.error).toBe('unauthorized_client')
  })

  test('are given to the test, with any claims', async () => {
    const { login } = await play()
    const token = await login.issue({
      subject: 'ada',
      scope: 'a',
      resources: [RESOURCE],
      lifetime: -5,
      claims: { client_id: undefined },
    })
    const { exp = 0, ...claims } = decodeJwt(token)
    expect(claims).toMatchObject({ sub: 'ada', scope: 'a', aud: RESOURCE })
    expect(claims).not.toHaveProperty('client_id')
    expect(exp).toBeLessThan(Date.now() / 1000)
  })

  test('are signed with a new key when the old one is rolled over', async () => {
    const { login } = await play()
    const verify = async (token: string): Promise<unknown> => {
      const keys = (await (await fetch(`${login.issuer}/jwks`)).json()) as any
      return jwtVerify(token, createLocalJWKSet(keys)).then(({ payload }) => payload.sub)
    }
    const first = await login.issue()
    await login.rotateKeys()
    const second = await login.issue()
    expect(decodeProtectedHeader(first).kid).not.toBe(decodeProtectedHeader(second).kid)
    expect([await verify(first), await verify(second)]).toEqual(['user', 'user'])
    await login.rotateKeys({ forget: true })
    await expect(verify(first)).rejects.toThrow('no applicable key')
  })

  test.each(['RS256', 'EdDSA'])('are signed with %s', async (algorithm) => {
    const { login } = await play({ algorithm })
    const { payload } = await jwtVerify(await login.issue(), createLocalJWKSet(login.keys as any), { algorithms: [algorithm] })
    expect(payload.sub).toBe('user')
  })
})

describe('proofs of possession', () => {
  test('bind tokens to a key, with a nonce', async () => {
    const played = await play({ dpop: { required: true, nonces: true } })
    const handle = oauth.DPoP(APP, await oauth.generateKeyPair('ES256'))
    const { access_token, token_type, refresh_token } = await logIn(played, { dpop: handle })
    expect([token_type, (decodeJwt(access_token) as any).cnf.jkt]).toEqual(['dpop', await handle.calculateThumbprint()])
    expect(played.login.asked('token').map(({ status }) => status)).toEqual([400, 200])

    const thief = oauth.DPoP(APP, await oauth.generateKeyPair('ES256'))
    const refresh = async (dpop: oauth.DPoPHandle): Promise<unknown> => {
      const ask = (): Promise<Response> =>
        oauth.refreshTokenGrantRequest(played.as, APP, oauth.None(), refresh_token!, { ...INSECURE, DPoP: dpop })
      const processed = oauth.processRefreshTokenResponse(played.as, APP, await ask())
      return processed.catch(async () => oauth.processRefreshTokenResponse(played.as, APP, await ask()))
    }
    await expect(refresh(thief)).rejects.toMatchObject({ error: 'invalid_dpop_proof' })
    played.login.renewNonce()
    expect(await refresh(handle)).toMatchObject({ token_type: 'dpop' })
  })

  test('are good once, and needed where they are', async () => {
    const played = await play({ dpop: { required: true } })
    await expect(logIn(played)).rejects.toMatchObject({ error: 'invalid_dpop_proof' })
    const handle = oauth.DPoP(APP, await oauth.generateKeyPair('ES256'))
    await logIn(played, { dpop: handle })
    const { headers, url, parameters } = played.login.asked('token').at(-1)!
    const again = await fetch(url, { method: 'POST', body: parameters, headers: { dpop: headers['dpop']! } })
    expect(await again.json()).toMatchObject({ error: 'invalid_dpop_proof', error_description: 'The proof was used before' })
  })
})

describe('assertions', () => {
  const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
  const BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
  const TYPE = 'urn:ietf:params:oauth:token-type:'

  test('an ID token becomes a grant at one server, and a token at another', async () => {
    const work = { client_id: 'work', client_secret: 'w' }
    const idp = await play({ clients: [work] })
    const idpKeys = (): any => idp.login.keys
    const { login } = await play({ clients: [work], trusted: [{ issuer: idp.login.issuer, keys: idpKeys }] })
    const subject_token = await idp.login.sign({ sub: 'ada', aud: 'work' }, { typ: 'JWT' })
    const asked = { subject_token, subject_token_type: `${TYPE}id_token`, audience: login.issuer, resource: RESOURCE, scope: 'a' }
    const exchange = await post(`${idp.login.issuer}/token`, {
      ...work,
      ...asked,
      grant_type: EXCHANGE,
      requested_token_type: `${TYPE}id-jag`,
    })
    expect(exchange.json).toMatchObject({ token_type: 'N_A', issued_token_type: `${TYPE}id-jag` })
    const assertion = exchange.json.access_token
    const granted = await post(`${login.issuer}/token`, { ...work, grant_type: BEARER, assertion })
    expect(decodeJwt(granted.json.access_token)).toMatchObject({ sub: 'ada', aud: RESOURCE, scope: 'a', iss: login.issuer })
    const again = await post(`${login.issuer}/token`, { ...work, grant_type: BEARER, assertion })
    expect(again.json.error).toBe('invalid_grant')
  })

  test.each([
    ['of a stranger', { iss: 'https://evil.example' }],
    ['for another server', { aud: 'https://other.example' }],
    ['that have expired', { exp: 1 }],
    ['for another client', { client_id: 'other' }],
  ])('%s are refused', async (_, wrong) => {
    const { login } = await play()
    const assertion = await login.sign({ sub: 'ada', aud: login.issuer, ...wrong })
    expect((await post(`${login.issuer}/token`, { client_id: 'app', grant_type: BEARER, assertion })).json.error).toBe(
      'invalid_grant',
    )
  })

  test('signed with another key are refused', async () => {
    const { login } = await play()
    const { privateKey } = await generateKeyPair('ES256')
    const { SignJWT } = await import('jose')
    const claims = { iss: login.issuer, sub: 'ada', aud: login.issuer, exp: Math.floor(Date.now() / 1000) + 60 }
    const assertion = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'key-1' }).sign(privateKey)
    expect((await post(`${login.issuer}/token`, { client_id: 'app', grant_type: BEARER, assertion })).json.error).toBe(
      'invalid_grant',
    )
  })
})
