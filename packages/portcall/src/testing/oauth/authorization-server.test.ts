import { createLocalJWKSet, decodeJwt, exportJWK, generateKeyPair, jwtVerify } from 'jose'
import * as oauth from 'oauth4webapi'
import { describe, expect, test } from 'vitest'
import {
  INSECURE,
  openAuthorizationUrl,
  post,
  REDIRECT_URI,
  RESOURCE,
  type RunningServer,
  signIn,
  startServer,
} from '../../../test-kit/auth/oauth-client.ts'
import { createFakeClock } from '../fake-clock.ts'

const APP = { client_id: 'app' }
const MACHINE = { client_id: 'machine', client_secret: 's3cret' }

describe('authorization code', () => {
  test('an independent client signs in, and the token has its claims', async () => {
    const running = await startServer()
    const { access_token, refresh_token, expires_in, token_type } = await signIn(running)
    expect([expires_in, token_type, typeof refresh_token]).toEqual([300, 'bearer', 'string'])
    const keys = createLocalJWKSet(running.server.keys as any)
    const { payload } = await jwtVerify(access_token, keys, { issuer: running.server.issuer, audience: RESOURCE, typ: 'at+jwt' })
    expect(payload).toMatchObject({ sub: 'user', client_id: 'app', scope: 'notes:read' })
  })

  test('requests are recorded', async () => {
    const running = await startServer()
    await signIn(running)
    expect(running.server.requests.map(({ endpoint, status }) => [endpoint, status])).toEqual([
      ['metadata', 200],
      ['authorize', 302],
      ['token', 200],
    ])
    expect(running.server.requestsTo('token')[0]?.parameters.get('resource')).toBe(RESOURCE)
  })

  test('a code is single-use: reuse revokes its tokens', async () => {
    const { server, metadata } = await startServer()
    const code_verifier = oauth.generateRandomCodeVerifier()
    const code_challenge = await oauth.calculatePKCECodeChallenge(code_verifier)
    const authorization = { response_type: 'code', code_challenge, code_challenge_method: 'S256' }
    const redirect = await openAuthorizationUrl(metadata, { client_id: 'app', redirect_uri: REDIRECT_URI, ...authorization })
    const form = {
      grant_type: 'authorization_code',
      client_id: 'app',
      code: redirect.searchParams.get('code')!,
      redirect_uri: REDIRECT_URI,
      code_verifier,
    }
    expect((await post(`${server.issuer}/token`, { ...form, code_verifier: 'x'.repeat(43) })).json.error).toBe('invalid_grant')
    const { refresh_token } = (await post(`${server.issuer}/token`, form)).json
    expect((await post(`${server.issuer}/token`, form)).json.error).toBe('invalid_grant')
    const repeated = await post(`${server.issuer}/token`, { grant_type: 'refresh_token', client_id: 'app', refresh_token })
    expect(repeated).toMatchObject({ status: 400, json: { error: 'invalid_grant' } })
  })

  test.each([
    ['another origin', { redirect_uri: 'https://evil.example/callback' }],
    ['another path', { redirect_uri: 'http://127.0.0.1:7777/other' }],
    ['a similar host', { redirect_uri: 'http://127.0.0.1.evil.example/callback' }],
    ['an unknown client', { client_id: 'other' }],
  ])('there is no redirect to or for %s', async (_, invalid) => {
    const { metadata } = await startServer()
    await expect(
      openAuthorizationUrl(metadata, { client_id: 'app', redirect_uri: REDIRECT_URI, response_type: 'code', ...invalid }),
    ).rejects.toThrow('400')
  })

  test.each([
    ['no PKCE', {}, 'invalid_request'],
    ['plain PKCE', { code_challenge: 'x'.repeat(43), code_challenge_method: 'plain' }, 'invalid_request'],
    ['the implicit grant', { response_type: 'token' }, 'unsupported_response_type'],
  ])('%s is rejected, with state and iss', async (_, parameters, error) => {
    const { metadata, server } = await startServer()
    const redirect = await openAuthorizationUrl(metadata, {
      ...APP,
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
      state: 'a',
      ...parameters,
    })
    expect(Object.fromEntries(redirect.searchParams)).toMatchObject({ error, state: 'a', iss: server.issuer })
  })

  test('the user may decline, or grant less', async () => {
    const running = await startServer({
      decide: ({ scopes }) => (scopes.includes('all') ? { error: 'access_denied' } : { subject: 'ada', scopes: ['notes:read'] }),
    })
    await expect(signIn(running, { scope: 'all' })).rejects.toMatchObject({ error: 'access_denied' })
    const { access_token, scope } = await signIn(running, { scope: 'notes:read notes:write' })
    expect([scope, decodeJwt(access_token).sub]).toEqual(['notes:read', 'ada'])
  })
})

describe('refresh', () => {
  const refresh = ({ server }: RunningServer, refresh_token: string, parameters = {}): ReturnType<typeof post> =>
    post(`${server.issuer}/token`, { grant_type: 'refresh_token', client_id: 'app', refresh_token, ...parameters })

  test('refresh tokens are single-use: reuse revokes all of them', async () => {
    const running = await startServer()
    const { refresh_token: first } = await signIn(running)
    const { refresh_token: second } = (await refresh(running, first!)).json
    expect(second).not.toBe(first)
    expect((await refresh(running, first!)).json.error).toBe('invalid_grant')
    expect((await refresh(running, second)).json.error).toBe('invalid_grant')
  })

  test('without rotation a refresh token can be reused', async () => {
    const running = await startServer({ rotateRefreshTokens: false })
    const { refresh_token: first } = await signIn(running)
    expect((await refresh(running, first!)).json.refresh_token).toBeUndefined()
    expect((await refresh(running, first!)).status).toBe(200)
  })

  test('access cannot exceed the grant', async () => {
    const running = await startServer()
    const { refresh_token } = await signIn(running, { scope: 'a b' })
    expect((await refresh(running, refresh_token!, { scope: 'a c' })).json.error).toBe('invalid_scope')
    expect((await refresh(running, refresh_token!, { resource: 'https://other.example' })).json.error).toBe('invalid_target')
    expect((await refresh(running, refresh_token!, { scope: 'a' })).json.scope).toBe('a')
  })

  test('requires offline_access, if the server supports that scope', async () => {
    const running = await startServer({ scopes: ['notes:read', 'offline_access'] })
    expect((await signIn(running)).refresh_token).toBeUndefined()
    expect((await signIn(running, { scope: 'offline_access' })).refresh_token).toBeDefined()
  })

  test('refresh tokens expire', async () => {
    const clock = createFakeClock()
    const running = await startServer({ now: clock.now, refreshTokenTtlMs: 10_000 })
    const response = await signIn(running).catch((error: unknown) => error)
    const { refresh_token } = response as oauth.TokenEndpointResponse
    await clock.advance(11_000)
    expect((await refresh(running, refresh_token!)).json.error).toBe('invalid_grant')
  })
})

describe('clients', () => {
  test('register, with or without a secret', async () => {
    const { metadata: as } = await startServer({ clients: [] })
    const metadata = { redirect_uris: [REDIRECT_URI], application_type: 'native', client_name: 'App' }
    const register = async (fields: Partial<oauth.Client>): Promise<oauth.Client> =>
      oauth.processDynamicClientRegistrationResponse(
        await oauth.dynamicClientRegistrationRequest(as, { ...metadata, ...fields } as any, INSECURE),
      )
    expect(await register({ token_endpoint_auth_method: 'none' })).not.toHaveProperty('client_secret')
    const client = await register({})
    const { access_token } = await signIn({ metadata: as } as RunningServer, {
      client,
      auth: oauth.ClientSecretBasic(String(client.client_secret)),
    })
    expect(access_token).toBeTruthy()
  })

  test.each([['http://app.example/callback'], ['javascript:alert(1)'], ['https://localhost/callback'], [42]])(
    'cannot register %s',
    async (uri) => {
      const { server } = await startServer()
      const body = JSON.stringify({ redirect_uris: [uri], application_type: 'native' })
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(`${server.issuer}/register`, { method: 'POST', body, headers })
      expect([response.status, await response.json()]).toMatchObject([400, { error: 'invalid_redirect_uri' }])
    },
  )

  test('are identified by their metadata document', async () => {
    const id = 'https://app.example/client.json'
    const document = { client_id: id, client_name: 'App', redirect_uris: [REDIRECT_URI] }
    const running = await startServer({
      metadataDocuments: (url) => (url === id ? document : { ...document, client_id: 'other' }),
    })
    expect((await signIn(running, { client: { client_id: id } })).access_token).toBeTruthy()
    await expect(signIn(running, { client: { client_id: `${id}x` } })).rejects.toThrow('400')
  })

  test('authenticate with a secret', async () => {
    const { metadata, server } = await startServer({ clients: [MACHINE] })
    for (const auth of [oauth.ClientSecretBasic('s3cret'), oauth.ClientSecretPost('s3cret')]) {
      const response = await oauth.clientCredentialsGrantRequest(
        metadata,
        { client_id: 'machine' },
        auth,
        { resource: RESOURCE },
        INSECURE,
      )
      const { access_token } = await oauth.processClientCredentialsResponse(metadata, { client_id: 'machine' }, response)
      expect(decodeJwt(access_token)).toMatchObject({ sub: 'machine', aud: RESOURCE })
    }
    const wrongSecret = { grant_type: 'client_credentials', client_id: 'machine', client_secret: 'x' }
    expect(await post(`${server.issuer}/token`, wrongSecret)).toMatchObject({ status: 401, json: { error: 'invalid_client' } })
    const noSecret = { grant_type: 'client_credentials', client_id: 'machine' }
    expect(await post(`${server.issuer}/token`, noSecret)).toMatchObject({ status: 401, json: { error: 'invalid_client' } })
  })

  test('authenticate with a key, and each assertion is single-use', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256')
    const { metadata, server } = await startServer({
      clients: [{ client_id: 'machine', jwks: { keys: [await exportJWK(publicKey)] } }],
    })
    const client = { client_id: 'machine' }
    const response = await oauth.clientCredentialsGrantRequest(metadata, client, oauth.PrivateKeyJwt(privateKey), {}, INSECURE)
    expect((await oauth.processClientCredentialsResponse(metadata, client, response)).access_token).toBeTruthy()
    const repeated = await post(`${server.issuer}/token`, Object.fromEntries(server.requestsTo('token')[0]!.parameters))
    expect(repeated).toMatchObject({ status: 401, json: { error: 'invalid_client' } })
    const other = await generateKeyPair('ES256')
    const forged = await oauth.clientCredentialsGrantRequest(
      metadata,
      client,
      oauth.PrivateKeyJwt(other.privateKey),
      {},
      INSECURE,
    )
    expect(forged.status).toBe(401)
  })
})

describe('devices', () => {
  const poll = ({ server }: RunningServer, device_code: string): Promise<string> =>
    post(`${server.issuer}/token`, {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      client_id: 'app',
      device_code,
    }).then(({ json }) => json.error ?? json.access_token)

  test('poll until the user has decided, but not too fast', async () => {
    const clock = createFakeClock()
    const running = await startServer({ now: clock.now })
    const response = await oauth.deviceAuthorizationRequest(running.metadata, APP, oauth.None(), { scope: 'a' }, INSECURE)
    const device = await oauth.processDeviceAuthorizationResponse(running.metadata, APP, response)
    expect(await poll(running, device.device_code)).toBe('authorization_pending')
    expect(await poll(running, device.device_code)).toBe('slow_down')
    await clock.advance(10_000)
    expect((await fetch(device.verification_uri_complete!)).status).toBe(200)
    expect(decodeJwt(await poll(running, device.device_code)).scope).toBe('a')
    expect(await poll(running, device.device_code)).toBe('invalid_grant')
  })

  test('are notified of expiry, and of a declined request', async () => {
    const clock = createFakeClock()
    const running = await startServer({ now: clock.now, decide: () => ({ error: 'access_denied' }) })
    const authorizeDevice = async (): Promise<any> => (await post(`${running.server.issuer}/device_authorization`, APP)).json
    const declined = await authorizeDevice()
    await fetch(declined.verification_uri_complete)
    expect(await poll(running, declined.device_code)).toBe('access_denied')
    const expired = await authorizeDevice()
    await clock.advance(601_000)
    expect(await poll(running, expired.device_code)).toBe('expired_token')
  })
})
