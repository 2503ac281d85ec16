import { describe, expect, test } from 'vitest'
import { browser } from './browser.ts'
import type { AuthError } from './errors.ts'
import { interactive } from './interactive.ts'
import { headless, later, openRemote, protect, startLogin } from './site.test-kit.ts'

const METADATA_URL = 'https://app.example.com/client.json'
const faultOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'none',
    (error: AuthError) => error.fault ?? String(error),
  )
const documents = (url: string) => ({ client_id: url, client_name: 'App', redirect_uris: ['http://127.0.0.1/callback'] })
const CALLBACK = 'http://127.0.0.1:7777/callback'
const registered = (more = {}) => ({ client_id: 'by hand', redirect_uris: ['http://127.0.0.1/callback'], ...more })

describe('a client id', () => {
  test('is the one that is given', async () => {
    const site = await protect({ clients: [registered()], documents })
    const auth = browser({ open: headless, client: { clientId: 'by hand' }, clientMetadataUrl: METADATA_URL })
    expect(await openRemote(site.url, auth).call()).toBe(200)
    expect(site.login.asked('register')).toEqual([])
    expect(site.login.asked('authorize')[0]?.parameters.get('client_id')).toBe('by hand')
  })

  test('is the address of its document where that is supported', async () => {
    const site = await protect({ documents })
    expect(await openRemote(site.url, browser({ open: headless, clientMetadataUrl: METADATA_URL })).call()).toBe(200)
    expect(site.login.asked('register')).toEqual([])
    expect(site.login.asked('authorize')[0]?.parameters.get('client_id')).toBe(METADATA_URL)
  })

  test('is registered where the document is not supported, and says what it is for', async () => {
    const site = await protect({ documents: false })
    const more = { clientName: 'Notes', registration: { software_id: 'x' } }
    expect(await openRemote(site.url, browser({ open: headless, clientMetadataUrl: METADATA_URL, ...more })).call()).toBe(200)
    expect(site.login.asked('register').map(({ body }) => body)).toEqual([
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

  test('cannot be had where nobody registers', async () => {
    const site = await protect({ registration: false, documents: false })
    expect(await faultOf(openRemote(site.url, browser({ open: headless })).call())).toBe('registration_failed')
  })

  test('that was registered is used again, and kept by its authorization server', async () => {
    const site = await protect()
    const auth = browser({ open: headless })
    const call = () => openRemote(site.url, auth).call()
    await call()
    site.login.set({ answers: { token: ({ parameters }) => (parameters.has('refresh_token') ? refused : undefined) } })
    await later(400_000, call)
    expect([site.login.asked('register').length, site.login.asked('authorize').length]).toEqual([1, 2])
    site.login.set({ answers: { token: { status: 400, body: { error: 'invalid_client' } } } })
    expect(await later(800_000, () => faultOf(call()))).toBe('token_refused')
    site.login.set({})
    expect(await later(800_000, call)).toBe(200)
    expect(site.login.asked('register').length).toBe(2)
  })

  test('that an authorization server does not want is an error that says why', async () => {
    const site = await protect()
    const body = { error: 'invalid_redirect_uri', error_description: 'localhost only' }
    site.login.set({ answers: { register: { status: 400, body } } })
    await expect(openRemote(site.url, browser({ open: headless })).call()).rejects.toMatchObject({
      fault: 'registration_failed',
      message: expect.stringContaining('invalid_redirect_uri: localhost only'),
      refusal: { error: 'invalid_redirect_uri' },
    })
  })

  test('may come with 200, and with a secret that has no end', async () => {
    const site = await protect({ clients: [registered({ client_secret: 'hush' })] })
    site.login.set({ answers: { register: { status: 200, body: { client_id: 'by hand', client_secret: 'hush', extra: null } } } })
    expect(await openRemote(site.url, browser({ open: headless })).call()).toBe(200)
    expect(site.login.asked('token')[0]?.headers.authorization).toBe(`Basic ${btoa('by+hand:hush')}`)
  })

  test('C64 that is given for one authorization server is not shown to another', async () => {
    const site = await protect({ clients: [registered()] })
    const client = { clientId: 'by hand', issuer: site.login.issuer }
    const auth = browser({ open: headless, client })
    const other = await startLogin()
    site.metadata = { authorization_servers: [other.issuer, site.login.issuer] }
    expect(await openRemote(site.url, auth).call()).toBe(200)
    site.metadata = { authorization_servers: [other.issuer] }
    expect(await faultOf(openRemote(site.url, browser({ open: headless, client })).call())).toBe('registration_failed')
    expect(other.asked('authorize')).toEqual([])
  })

  test.each(['http://app.example.com/client.json', 'https://app.example.com', 'https://app.example.com/#x'])(
    'is not %s',
    (clientMetadataUrl) => expect(() => browser({ clientMetadataUrl })).toThrow(TypeError),
  )
})

const refused = { status: 400, body: { error: 'invalid_grant' } }

describe('a secret', () => {
  test.each([
    [undefined, undefined, { basic: true }],
    [['client_secret_post'], undefined, { post: true }],
    [['client_secret_post', 'client_secret_basic'], undefined, { basic: true }],
    [['client_secret_basic'], 'client_secret_post', { post: true }],
  ] as const)('goes where %j is supported and %j is registered as %j', async (supported, authentication, way) => {
    const clientSecret = 'a+b/c d-e:%ü'
    const site = await protect({ clients: [registered({ client_secret: clientSecret })] })
    site.login.set({ metadata: { token_endpoint_auth_methods_supported: supported } })
    const client = { clientId: 'by hand', clientSecret, ...(authentication && { authentication }) }
    expect(await openRemote(site.url, browser({ open: headless, client })).call()).toBe(200)
    const [request] = site.login.asked('token')
    const sent = {
      basic: request?.headers.authorization?.startsWith('Basic ') ?? false,
      post: request?.parameters.has('client_secret'),
    }
    expect(sent).toEqual({ basic: false, post: false, ...way })
  })

  test('may be a key, in any of its forms', async () => {
    const pair = (await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [
      'sign',
      'verify',
    ])) as CryptoKeyPair
    const jwk = await crypto.subtle.exportKey('jwk', pair.privateKey)
    const der = Buffer.from(await crypto.subtle.exportKey('pkcs8', pair.privateKey)).toString('base64')
    const pem = `-----BEGIN PRIVATE KEY-----\n${der}\n-----END PRIVATE KEY-----`
    const jwks = { keys: [{ ...(await crypto.subtle.exportKey('jwk', pair.publicKey)), kid: 'k' }] }
    const method = 'private_key_jwt'
    const site = await protect({ clients: [registered({ jwks, token_endpoint_auth_method: method })] })
    for (const privateKey of [pair.privateKey, { ...jwk, kid: 'k' }, pem]) {
      const client = { clientId: 'by hand', privateKey }
      expect(await openRemote(site.url, browser({ open: headless, client })).call()).toBe(200)
    }
    expect(site.login.asked('token').map(({ parameters }) => parameters.has('client_assertion'))).toEqual([true, true, true])
    const without = browser({ open: headless, client: { clientId: 'by hand', authentication: method } })
    expect(await faultOf(openRemote(site.url, without).call())).toBe('registration_failed')
  })
})

describe('a host with a page of its own', () => {
  test('gets the address to show, and gives the one that its user came back to', async () => {
    const site = await protect()
    site.needs = 'notes:read'
    const shown: unknown[] = []
    const auth = interactive({
      redirectUri: CALLBACK,
      async authorize(url, { signal, state, ...about }) {
        shown.push(about, url.searchParams.get('state') === state, signal.aborted)
        return (await fetch(url, { redirect: 'manual' })).headers.get('location')!
      },
    })
    expect(await openRemote(site.url, auth).call()).toBe(200)
    expect(shown).toEqual([{ issuer: site.login.issuer, resource: site.url, scope: 'notes:read' }, true, false])
    expect(site.login.asked('register')[0]?.body).toMatchObject({ redirect_uris: [CALLBACK], application_type: 'native' })
  })

  test.each(['http://app.example.com/back', 'http://10.0.0.5/back', 'notes:/back', 'javascript:alert(1)'])(
    'does not take its users back at %s',
    (redirectUri) => expect(() => interactive({ redirectUri, authorize: async () => '' })).toThrow(TypeError),
  )

  test('is of the web when it takes its users back over https', async () => {
    const site = await protect()
    const authorize = async (): Promise<never> => {
      throw new Error('The user has closed the page')
    }
    const auth = interactive({ redirectUri: 'https://app.example.com/back', authorize })
    expect(await faultOf(openRemote(site.url, auth).call())).toContain('closed the page')
    expect(site.login.asked('register')[0]?.body).toMatchObject({ application_type: 'web' })
  })
})
