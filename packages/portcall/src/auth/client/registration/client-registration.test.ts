import { describe, expect, test } from 'vitest'
import {
  atLaterTime,
  headlessBrowser,
  openClient,
  startAuthorizationServer,
  startProtectedServer,
} from '../../../../test-kit/auth/scripted-protected-server.ts'
import type { AuthError } from '../errors.ts'
import { authorizationCode } from '../grants/authorization-code.ts'
import { browserSignIn } from '../grants/browser-sign-in.ts'

const METADATA_URL = 'https://app.example.com/client.json'
const reasonOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'none',
    (error: AuthError) => error.reason ?? String(error),
  )
const metadataDocuments = (url: string) => ({ client_id: url, client_name: 'App', redirect_uris: ['http://127.0.0.1/callback'] })
const CALLBACK = 'http://127.0.0.1:7777/callback'
const registered = (more = {}) => ({ client_id: 'by hand', redirect_uris: ['http://127.0.0.1/callback'], ...more })

describe('a client id', () => {
  test('is the configured one', async () => {
    const server = await startProtectedServer({ clients: [registered()], metadataDocuments })
    const auth = browserSignIn({ open: headlessBrowser, client: { clientId: 'by hand' }, clientMetadataUrl: METADATA_URL })
    expect(await openClient(server.url, auth).call()).toBe(200)
    expect(server.login.requestsTo('register')).toEqual([])
    expect(server.login.requestsTo('authorize')[0]?.parameters.get('client_id')).toBe('by hand')
  })

  test('is the URL of the metadata document if the server supports that', async () => {
    const server = await startProtectedServer({ metadataDocuments })
    expect(await openClient(server.url, browserSignIn({ open: headlessBrowser, clientMetadataUrl: METADATA_URL })).call()).toBe(
      200,
    )
    expect(server.login.requestsTo('register')).toEqual([])
    expect(server.login.requestsTo('authorize')[0]?.parameters.get('client_id')).toBe(METADATA_URL)
  })

  test('is registered dynamically if metadata documents are not supported', async () => {
    const server = await startProtectedServer({ metadataDocuments: false })
    const more = { clientName: 'Notes', registrationMetadata: { software_id: 'x' } }
    expect(
      await openClient(server.url, browserSignIn({ open: headlessBrowser, clientMetadataUrl: METADATA_URL, ...more })).call(),
    ).toBe(200)
    expect(server.login.requestsTo('register').map(({ body }) => body)).toEqual([
      {
        client_name: 'Notes',
        software_id: 'x',
        redirect_uris: [expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        application_type: 'native',
        token_endpoint_auth_method: 'none',
      },
    ])
  })

  test('is missing if the server supports no registration', async () => {
    const server = await startProtectedServer({ dynamicRegistration: false, metadataDocuments: false })
    expect(await reasonOf(openClient(server.url, browserSignIn({ open: headlessBrowser })).call())).toBe('registration_failed')
  })

  test('from a registration is reused until the authorization server rejects it', async () => {
    const server = await startProtectedServer()
    const auth = browserSignIn({ open: headlessBrowser })
    const call = () => openClient(server.url, auth).call()
    await call()
    server.login.setFaults({ responses: { token: ({ parameters }) => (parameters.has('refresh_token') ? refused : undefined) } })
    await atLaterTime(400_000, call)
    expect([server.login.requestsTo('register').length, server.login.requestsTo('authorize').length]).toEqual([1, 2])
    server.login.setFaults({ responses: { token: { status: 400, body: { error: 'invalid_client' } } } })
    expect(await atLaterTime(800_000, () => reasonOf(call()))).toBe('token_refused')
    server.login.setFaults({})
    expect(await atLaterTime(800_000, call)).toBe(200)
    // One after the refresh was refused, one with another authentication method, and one for the last call.
    expect(server.login.requestsTo('register').length).toBe(4)
  })

  test('from a failed registration is an error with the reason', async () => {
    const server = await startProtectedServer()
    const body = { error: 'invalid_redirect_uri', error_description: 'localhost only' }
    server.login.setFaults({ responses: { register: { status: 400, body } } })
    await expect(openClient(server.url, browserSignIn({ open: headlessBrowser })).call()).rejects.toMatchObject({
      reason: 'registration_failed',
      message: expect.stringContaining('invalid_redirect_uri: localhost only'),
      response: { error: 'invalid_redirect_uri' },
    })
  })

  test('may come with status 200 and a secret without an expiry', async () => {
    const server = await startProtectedServer({ clients: [registered({ client_secret: 'hush' })] })
    server.login.setFaults({
      responses: { register: { status: 200, body: { client_id: 'by hand', client_secret: 'hush', extra: null } } },
    })
    expect(await openClient(server.url, browserSignIn({ open: headlessBrowser })).call()).toBe(200)
    expect(server.login.requestsTo('token')[0]?.headers.authorization).toBe(`Basic ${btoa('by+hand:hush')}`)
  })

  test('C64 for one authorization server is not sent to another', async () => {
    const server = await startProtectedServer({ clients: [registered()] })
    const client = { clientId: 'by hand', issuer: server.login.issuer }
    const auth = browserSignIn({ open: headlessBrowser, client })
    const other = await startAuthorizationServer()
    server.metadata = { authorization_servers: [other.issuer, server.login.issuer] }
    expect(await openClient(server.url, auth).call()).toBe(200)
    server.metadata = { authorization_servers: [other.issuer] }
    expect(await reasonOf(openClient(server.url, browserSignIn({ open: headlessBrowser, client })).call())).toBe(
      'registration_failed',
    )
    expect(other.requestsTo('authorize')).toEqual([])
  })

  test.each(['http://app.example.com/client.json', 'https://app.example.com', 'https://app.example.com/#x'])(
    'is not %s',
    (clientMetadataUrl) => expect(() => browserSignIn({ clientMetadataUrl })).toThrow(TypeError),
  )
})

const refused = { status: 400, body: { error: 'invalid_grant' } }

describe('a secret', () => {
  test.each([
    [undefined, undefined, { basic: true }],
    [['client_secret_post'], undefined, { post: true }],
    [['client_secret_post', 'client_secret_basic'], undefined, { post: true }],
    [['client_secret_basic', 'client_secret_post'], undefined, { basic: true }],
    [['client_secret_basic'], 'client_secret_post', { post: true }],
  ] as const)('goes where %j is supported and %j is registered as %j', async (supported, authentication, expected) => {
    const clientSecret = 'a+b/c d-e:%ü'
    const server = await startProtectedServer({ clients: [registered({ client_secret: clientSecret })] })
    server.login.setFaults({ metadata: { token_endpoint_auth_methods_supported: supported } })
    const client = { clientId: 'by hand', clientSecret, ...(authentication && { authentication }) }
    expect(await openClient(server.url, browserSignIn({ open: headlessBrowser, client })).call()).toBe(200)
    const [request] = server.login.requestsTo('token')
    const sent = {
      basic: request?.headers.authorization?.startsWith('Basic ') ?? false,
      post: request?.parameters.has('client_secret'),
    }
    expect(sent).toEqual({ basic: false, post: false, ...expected })
  })

  test('may be a private key in any form', async () => {
    const pair = (await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [
      'sign',
      'verify',
    ])) as CryptoKeyPair
    const jwk = await crypto.subtle.exportKey('jwk', pair.privateKey)
    const der = Buffer.from(await crypto.subtle.exportKey('pkcs8', pair.privateKey)).toString('base64')
    const pem = `-----BEGIN PRIVATE KEY-----\n${der}\n-----END PRIVATE KEY-----`
    const jwks = { keys: [{ ...(await crypto.subtle.exportKey('jwk', pair.publicKey)), kid: 'k' }] }
    const method = 'private_key_jwt'
    const server = await startProtectedServer({ clients: [registered({ jwks, token_endpoint_auth_method: method })] })
    for (const privateKey of [pair.privateKey, { ...jwk, kid: 'k' }, pem]) {
      const client = { clientId: 'by hand', privateKey }
      expect(await openClient(server.url, browserSignIn({ open: headlessBrowser, client })).call()).toBe(200)
    }
    expect(server.login.requestsTo('token').map(({ parameters }) => parameters.has('client_assertion'))).toEqual([
      true,
      true,
      true,
    ])
    const without = browserSignIn({ open: headlessBrowser, client: { clientId: 'by hand', authentication: method } })
    expect(await reasonOf(openClient(server.url, without).call())).toBe('registration_failed')
  })
})

describe('a program that shows the page itself', () => {
  test('receives the authorization URL and returns the redirect URL', async () => {
    const server = await startProtectedServer()
    server.requiredScope = 'notes:read'
    const shown: unknown[] = []
    const auth = authorizationCode({
      redirectUri: CALLBACK,
      async authorize(url, { signal, state, ...about }) {
        shown.push(about, url.searchParams.get('state') === state, signal.aborted)
        return (await fetch(url, { redirect: 'manual' })).headers.get('location')!
      },
    })
    expect(await openClient(server.url, auth).call()).toBe(200)
    expect(shown).toEqual([{ issuer: server.login.issuer, resource: server.url, scopes: ['notes:read'] }, true, false])
    expect(server.login.requestsTo('register')[0]?.body).toMatchObject({ redirect_uris: [CALLBACK], application_type: 'native' })
  })

  test.each(['http://app.example.com/back', 'http://10.0.0.5/back', 'notes:/back', 'javascript:alert(1)'])(
    'cannot have the redirect URI %s',
    (redirectUri) => expect(() => authorizationCode({ redirectUri, authorize: async () => '' })).toThrow(TypeError),
  )

  test('is a web application if its redirect URI uses https', async () => {
    const server = await startProtectedServer()
    const authorize = async (): Promise<never> => {
      throw new Error('The user has closed the page')
    }
    const auth = authorizationCode({ redirectUri: 'https://app.example.com/back', authorize })
    expect(await reasonOf(openClient(server.url, auth).call())).toContain('closed the page')
    expect(server.login.requestsTo('register')[0]?.body).toMatchObject({ application_type: 'web' })
  })
})
