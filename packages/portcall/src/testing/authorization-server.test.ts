import { createLocalJWKSet, decodeJwt, exportJWK, generateKeyPair, jwtVerify } from 'jose'
import * as oauth from 'oauth4webapi'
import { describe, expect, test } from 'vitest'
import { createClock } from './clock.ts'
import { INSECURE, logIn, type Played, play, post, REDIRECT, RESOURCE, visit } from './oauth/client.test-kit.ts'

const APP = { client_id: 'app' }
const MACHINE = { client_id: 'machine', client_secret: 's3cret' }

describe('authorization code', () => {
  test('a client of another make logs in, and the token says for what it is', async () => {
    const played = await play()
    const { access_token, refresh_token, expires_in, token_type } = await logIn(played)
    expect([expires_in, token_type, typeof refresh_token]).toEqual([300, 'bearer', 'string'])
    const keys = createLocalJWKSet(played.login.keys as any)
    const { payload } = await jwtVerify(access_token, keys, { issuer: played.login.issuer, audience: RESOURCE, typ: 'at+jwt' })
    expect(payload).toMatchObject({ sub: 'user', client_id: 'app', scope: 'notes:read' })
  })

  test('what was asked is on record', async () => {
    const played = await play()
    await logIn(played)
    expect(played.login.requests.map(({ endpoint, status }) => [endpoint, status])).toEqual([
      ['metadata', 200],
      ['authorize', 302],
      ['token', 200],
    ])
    expect(played.login.asked('token')[0]?.parameters.get('resource')).toBe(RESOURCE)
  })

  test('a code is good once: the second time ends what the first gave', async () => {
    const { login, as } = await play()
    const code_verifier = oauth.generateRandomCodeVerifier()
    const code_challenge = await oauth.calculatePKCECodeChallenge(code_verifier)
    const asked = { response_type: 'code', code_challenge, code_challenge_method: 'S256' }
    const back = await visit(as, { client_id: 'app', redirect_uri: REDIRECT, ...asked })
    const form = {
      grant_type: 'authorization_code',
      client_id: 'app',
      code: back.searchParams.get('code')!,
      redirect_uri: REDIRECT,
      code_verifier,
    }
    expect((await post(`${login.issuer}/token`, { ...form, code_verifier: 'x'.repeat(43) })).json.error).toBe('invalid_grant')
    const { refresh_token } = (await post(`${login.issuer}/token`, form)).json
    expect((await post(`${login.issuer}/token`, form)).json.error).toBe('invalid_grant')
    const again = await post(`${login.issuer}/token`, { grant_type: 'refresh_token', client_id: 'app', refresh_token })
    expect(again).toMatchObject({ status: 400, json: { error: 'invalid_grant' } })
  })

  test.each([
    ['another address', { redirect_uri: 'https://evil.example/callback' }],
    ['another path', { redirect_uri: 'http://127.0.0.1:7777/other' }],
    ['a host that looks alike', { redirect_uri: 'http://127.0.0.1.evil.example/callback' }],
    ['a client that nobody knows', { client_id: 'other' }],
  ])('nobody is sent to %s', async (_, wrong) => {
    const { as } = await play()
    await expect(visit(as, { client_id: 'app', redirect_uri: REDIRECT, response_type: 'code', ...wrong })).rejects.toThrow('400')
  })

  test.each([
    ['no PKCE', {}, 'invalid_request'],
    ['plain PKCE', { code_challenge: 'x'.repeat(43), code_challenge_method: 'plain' }, 'invalid_request'],
    ['a token at once', { response_type: 'token' }, 'unsupported_response_type'],
  ])('%s is refused, with state and iss', async (_, parameters, error) => {
    const { as, login } = await play()
    const back = await visit(as, { ...APP, redirect_uri: REDIRECT, response_type: 'code', state: 'a', ...parameters })
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ error, state: 'a', iss: login.issuer })
  })

  test('the user may say no, or less', async () => {
    const played = await play({
      decide: ({ scope }) => (scope === 'all' ? { error: 'access_denied' } : { subject: 'ada', scope: 'notes:read' }),
    })
    await expect(logIn(played, { scope: 'all' })).rejects.toMatchObject({ error: 'access_denied' })
    const { access_token, scope } = await logIn(played, { scope: 'notes:read notes:write' })
    expect([scope, decodeJwt(access_token).sub]).toEqual(['notes:read', 'ada'])
  })
})

describe('refresh', () => {
  const refresh = ({ login }: Played, refresh_token: string, more = {}): ReturnType<typeof post> =>
    post(`${login.issuer}/token`, { grant_type: 'refresh_token', client_id: 'app', refresh_token, ...more })

  test('each token is good once, and one that comes again ends them all', async () => {
    const played = await play()
    const { refresh_token: first } = await logIn(played)
    const { refresh_token: second } = (await refresh(played, first!)).json
    expect(second).not.toBe(first)
    expect((await refresh(played, first!)).json.error).toBe('invalid_grant')
    expect((await refresh(played, second)).json.error).toBe('invalid_grant')
  })

  test('without rotation it stays as it is', async () => {
    const played = await play({ rotation: false })
    const { refresh_token: first } = await logIn(played)
    expect((await refresh(played, first!)).json.refresh_token).toBeUndefined()
    expect((await refresh(played, first!)).status).toBe(200)
  })

  test('never more than what was granted', async () => {
    const played = await play()
    const { refresh_token } = await logIn(played, { scope: 'a b' })
    expect((await refresh(played, refresh_token!, { scope: 'a c' })).json.error).toBe('invalid_scope')
    expect((await refresh(played, refresh_token!, { resource: 'https://other.example' })).json.error).toBe('invalid_target')
    expect((await refresh(played, refresh_token!, { scope: 'a' })).json.scope).toBe('a')
  })

  test('only for who asks for offline_access, where there is such a scope', async () => {
    const played = await play({ scopes: ['notes:read', 'offline_access'] })
    expect((await logIn(played)).refresh_token).toBeUndefined()
    expect((await logIn(played, { scope: 'offline_access' })).refresh_token).toBeDefined()
  })

  test('expires', async () => {
    const clock = createClock()
    const played = await play({ now: clock.now, lifetimes: { refresh: 10 } })
    const response = await logIn(played).catch((error: unknown) => error)
    const { refresh_token } = response as oauth.TokenEndpointResponse
    await clock.advance(11_000)
    expect((await refresh(played, refresh_token!)).json.error).toBe('invalid_grant')
  })
})

describe('clients', () => {
  test('register, with a secret or without', async () => {
    const { as } = await play({ clients: [] })
    const metadata = { redirect_uris: [REDIRECT], application_type: 'native', client_name: 'App' }
    const register = async (more: Partial<oauth.Client>): Promise<oauth.Client> =>
      oauth.processDynamicClientRegistrationResponse(
        await oauth.dynamicClientRegistrationRequest(as, { ...metadata, ...more } as any, INSECURE),
      )
    expect(await register({ token_endpoint_auth_method: 'none' })).not.toHaveProperty('client_secret')
    const client = await register({})
    const { access_token } = await logIn({ as } as Played, {
      client,
      auth: oauth.ClientSecretBasic(String(client.client_secret)),
    })
    expect(access_token).toBeTruthy()
  })

  test.each([['http://app.example/callback'], ['javascript:alert(1)'], ['https://localhost/callback'], [42]])(
    'do not register %s',
    async (uri) => {
      const { login } = await play()
      const body = JSON.stringify({ redirect_uris: [uri], application_type: 'native' })
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(`${login.issuer}/register`, { method: 'POST', body, headers })
      expect([response.status, await response.json()]).toMatchObject([400, { error: 'invalid_redirect_uri' }])
    },
  )

  test('are known by their metadata document', async () => {
    const id = 'https://app.example/client.json'
    const document = { client_id: id, client_name: 'App', redirect_uris: [REDIRECT] }
    const played = await play({ documents: (url) => (url === id ? document : { ...document, client_id: 'other' }) })
    expect((await logIn(played, { client: { client_id: id } })).access_token).toBeTruthy()
    await expect(logIn(played, { client: { client_id: `${id}x` } })).rejects.toThrow('400')
  })

  test('prove who they are with a secret', async () => {
    const { as, login } = await play({ clients: [MACHINE] })
    for (const auth of [oauth.ClientSecretBasic('s3cret'), oauth.ClientSecretPost('s3cret')]) {
      const response = await oauth.clientCredentialsGrantRequest(
        as,
        { client_id: 'machine' },
        auth,
        { resource: RESOURCE },
        INSECURE,
      )
      const { access_token } = await oauth.processClientCredentialsResponse(as, { client_id: 'machine' }, response)
      expect(decodeJwt(access_token)).toMatchObject({ sub: 'machine', aud: RESOURCE })
    }
    const wrong = { grant_type: 'client_credentials', client_id: 'machine', client_secret: 'x' }
    expect(await post(`${login.issuer}/token`, wrong)).toMatchObject({ status: 401, json: { error: 'invalid_client' } })
    const none = { grant_type: 'client_credentials', client_id: 'machine' }
    expect(await post(`${login.issuer}/token`, none)).toMatchObject({ status: 401, json: { error: 'invalid_client' } })
  })

  test('prove who they are with a key, and each proof is good once', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256')
    const { as, login } = await play({ clients: [{ client_id: 'machine', jwks: { keys: [await exportJWK(publicKey)] } }] })
    const client = { client_id: 'machine' }
    const response = await oauth.clientCredentialsGrantRequest(as, client, oauth.PrivateKeyJwt(privateKey), {}, INSECURE)
    expect((await oauth.processClientCredentialsResponse(as, client, response)).access_token).toBeTruthy()
    const again = await post(`${login.issuer}/token`, Object.fromEntries(login.asked('token')[0]!.parameters))
    expect(again).toMatchObject({ status: 401, json: { error: 'invalid_client' } })
    const other = await generateKeyPair('ES256')
    const forged = await oauth.clientCredentialsGrantRequest(as, client, oauth.PrivateKeyJwt(other.privateKey), {}, INSECURE)
    expect(forged.status).toBe(401)
  })
})

describe('devices', () => {
  const poll = ({ login }: Played, device_code: string): Promise<string> =>
    post(`${login.issuer}/token`, {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      client_id: 'app',
      device_code,
    }).then(({ json }) => json.error ?? json.access_token)

  test('wait for their user, not too impatiently', async () => {
    const clock = createClock()
    const played = await play({ now: clock.now })
    const response = await oauth.deviceAuthorizationRequest(played.as, APP, oauth.None(), { scope: 'a' }, INSECURE)
    const device = await oauth.processDeviceAuthorizationResponse(played.as, APP, response)
    expect(await poll(played, device.device_code)).toBe('authorization_pending')
    expect(await poll(played, device.device_code)).toBe('slow_down')
    await clock.advance(10_000)
    expect((await fetch(device.verification_uri_complete!)).status).toBe(200)
    expect(decodeJwt(await poll(played, device.device_code)).scope).toBe('a')
    expect(await poll(played, device.device_code)).toBe('invalid_grant')
  })

  test('hear that time is up, and that the user said no', async () => {
    const clock = createClock()
    const played = await play({ now: clock.now, decide: () => ({ error: 'access_denied' }) })
    const begin = async (): Promise<any> => (await post(`${played.login.issuer}/device_authorization`, APP)).json
    const refused = await begin()
    await fetch(refused.verification_uri_complete)
    expect(await poll(played, refused.device_code)).toBe('access_denied')
    const late = await begin()
    await clock.advance(601_000)
    expect(await poll(played, late.device_code)).toBe('expired_token')
  })
})
