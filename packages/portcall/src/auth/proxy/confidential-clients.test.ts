import * as jose from 'jose'
import { beforeAll, describe, expect, test } from 'vitest'
import { RESOURCE, type Send, whoami } from '../../../test-kit/auth/protected-server.ts'
import { codeForm, ORIGIN, obtainCode, REDIRECT, refreshForm, startProxy } from '../../../test-kit/auth/proxy.ts'
import type { ProxyClientRegistration } from './options.ts'
import { oauthProxy } from './proxy.ts'

const INVALID_CLIENT = { status: 401, json: { error: 'invalid_client' } }
const INVALID_GRANT = { status: 400, json: { error: 'invalid_grant' } }
const INVALID_REQUEST = { status: 400, json: { error: 'invalid_request' } }
const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

interface TokenRequest {
  readonly form: Record<string, string>
  readonly headers?: Record<string, string>
}

async function post(send: Send, path: string, { form, headers = {} }: TokenRequest): Promise<{ status: number; json: any }> {
  const response = await send(path, { method: 'POST', body: new URLSearchParams(form), headers })
  const text = await response.text()
  return { status: response.status, json: text === '' ? {} : JSON.parse(text) }
}

async function registerClient(send: Send, metadata: object): Promise<any> {
  const body = JSON.stringify({ client_name: 'Notes app', redirect_uris: [REDIRECT], ...metadata })
  return (await send('/register', { method: 'POST', headers: { 'content-type': 'application/json' }, body })).json()
}

const basic = (id: string, secret: string): Record<string, string> => ({
  authorization: `Basic ${btoa([id, secret].map((text) => encodeURIComponent(text)).join(':'))}`,
})

const without = (form: Record<string, string>, name: string): Record<string, string> =>
  Object.fromEntries(Object.entries(form).filter(([key]) => key !== name))

let keys: { privateKey: CryptoKey; jwks: { keys: jose.JWK[] } }
beforeAll(async () => {
  const { privateKey, publicKey } = await jose.generateKeyPair('ES256')
  keys = { privateKey, jwks: { keys: [{ ...(await jose.exportJWK(publicKey)), alg: 'ES256' }] } }
})

async function assertionOf(id: string, claims: jose.JWTPayload = {}, key = keys.privateKey): Promise<Record<string, string>> {
  const now = Math.floor(Date.now() / 1000)
  const payload = { iss: id, sub: id, aud: ORIGIN, exp: now + 60, jti: crypto.randomUUID(), ...claims }
  const client_assertion = await new jose.SignJWT(payload).setProtectedHeader({ alg: 'ES256' }).sign(key)
  return { client_assertion, client_assertion_type: JWT_BEARER }
}

describe.each(['client_secret_basic', 'client_secret_post'] as const)('a client that registers with %s', (method) => {
  const authenticated = (form: Record<string, string>, secret: string): TokenRequest => {
    if (method === 'client_secret_post') return { form: { ...form, client_secret: secret } }
    return { form: without(form, 'client_id'), headers: basic(form['client_id'] ?? '', secret) }
  }

  test('receives a secret that is stored nowhere, and needs it for all requests', async () => {
    const { send, browser, entries } = await startProxy()
    const registration = await registerClient(send, { token_endpoint_auth_method: method })
    const { client_id: id, client_secret: secret } = registration
    expect(registration).toMatchObject({
      token_endpoint_auth_method: method,
      client_secret: expect.stringMatching(/^[\w-]{43}$/),
    })
    expect(registration.client_secret_expires_at).toBeGreaterThan(Date.now() / 1000)
    const first = await post(send, '/token', authenticated(codeForm(id, await obtainCode(browser(), id)), secret))
    expect(first.status).toBe(200)
    expect((await whoami(send, `Bearer ${first.json.access_token}`)).clientId).toBe(id)
    const second = await post(send, '/token', authenticated(refreshForm(id, first.json.refresh_token), secret))
    expect(second.status).toBe(200)
    expect((await post(send, '/revoke', authenticated({ client_id: id, token: second.json.refresh_token }, secret))).status).toBe(
      200,
    )
    expect((await post(send, '/token', authenticated(refreshForm(id, second.json.refresh_token), secret))).status).toBe(400)
    expect(entries.join()).not.toContain(secret)
  })

  test('cannot be impersonated without the secret', async () => {
    const { send, browser } = await startProxy()
    const { client_id: id, client_secret: secret } = await registerClient(send, { token_endpoint_auth_method: method })
    const { json } = await post(send, '/token', authenticated(codeForm(id, await obtainCode(browser(), id)), secret))
    const form = refreshForm(id, json.refresh_token)
    for (const wrong of ['', 'x', `${secret}x`])
      expect(await post(send, '/token', authenticated(form, wrong))).toMatchObject(INVALID_CLIENT)
    expect(await post(send, '/token', { form })).toMatchObject(INVALID_GRANT)
    await post(send, '/revoke', { form: { client_id: id, token: json.access_token } })
    expect((await whoami(send, `Bearer ${json.access_token}`)).subject).toBe('ann')
    expect((await post(send, '/token', authenticated(form, secret))).status).toBe(200)
  })

  test('cannot use its code without the secret', async () => {
    const { send, browser } = await startProxy()
    const { client_id: id } = await registerClient(send, { token_endpoint_auth_method: method })
    expect(await post(send, '/token', { form: codeForm(id, await obtainCode(browser(), id)) })).toMatchObject(INVALID_GRANT)
  })

  test('has to use the registered method, and only that', async () => {
    const { send, browser } = await startProxy()
    const { client_id: id, client_secret: secret } = await registerClient(send, { token_endpoint_auth_method: method })
    const form = codeForm(id, await obtainCode(browser(), id))
    const other =
      method === 'client_secret_basic' ? { form: { ...form, client_secret: secret } } : { form, headers: basic(id, secret) }
    expect(await post(send, '/token', other)).toMatchObject(INVALID_CLIENT)
    const both = { form: { ...form, client_secret: secret }, headers: basic(id, secret) }
    expect(await post(send, '/token', both)).toMatchObject(INVALID_REQUEST)
    expect(await post(send, '/token', { form, headers: basic('another', secret) })).toMatchObject(INVALID_CLIENT)
    expect((await post(send, '/token', authenticated(form, secret))).status).toBe(200)
  })
})

test.each(['Basic', 'Basic x', 'Basic !', `Basic ${btoa('no colon')}`, `Basic ${btoa('%zz:x')}`, 'Bearer x', 'DPoP x'])(
  'credentials that are malformed are refused: %s',
  async (authorization) => {
    const { send } = await startProxy()
    const request = { form: without(refreshForm('x', 'y'), 'client_id'), headers: { authorization } }
    expect(await post(send, '/token', request)).toMatchObject(INVALID_CLIENT)
  },
)

describe('a client with a key', () => {
  const start = async () => {
    const proxy = await startProxy()
    const registration = await registerClient(proxy.send, { token_endpoint_auth_method: 'private_key_jwt', jwks: keys.jwks })
    const id: string = registration.client_id
    return { ...proxy, id, registration }
  }

  test('signs its requests', async () => {
    const { send, browser, id, registration } = await start()
    expect(registration).toMatchObject({ token_endpoint_auth_method: 'private_key_jwt', jwks: keys.jwks })
    expect(registration).not.toHaveProperty('client_secret')
    const code = await obtainCode(browser(), id)
    const form = without(codeForm(id, code), 'client_id')
    const { status, json } = await post(send, '/token', { form: { ...form, ...(await assertionOf(id)) } })
    expect(status).toBe(200)
    const again = { ...refreshForm(id, json.refresh_token), ...(await assertionOf(id, { aud: `${ORIGIN}/token` })) }
    expect((await post(send, '/token', { form: again })).status).toBe(200)
  })

  test('is refused with an assertion that is not its own, is for another server, or has expired', async () => {
    const { send, id } = await start()
    const { privateKey } = await jose.generateKeyPair('ES256')
    const now = Math.floor(Date.now() / 1000)
    const assertions = [
      await assertionOf(id, {}, privateKey),
      await assertionOf(id, { iss: 'x' }),
      await assertionOf(id, { sub: 'x' }),
      await assertionOf(id, { aud: 'https://other.example' }),
      await assertionOf(id, { exp: now - 60 }),
      await assertionOf(id, { exp: now + 3600 }),
      await assertionOf(id, { exp: undefined } as never),
      await assertionOf(id, { jti: undefined } as never),
      { ...(await assertionOf(id)), client_assertion_type: 'x' },
      { client_assertion: 'x', client_assertion_type: JWT_BEARER },
    ]
    for (const assertion of assertions)
      expect(await post(send, '/token', { form: { ...refreshForm(id, 'x'), ...assertion } })).toMatchObject(INVALID_CLIENT)
  })

  test('can use an assertion once', async () => {
    const { send, id } = await start()
    const form = { ...refreshForm(id, 'x'), ...(await assertionOf(id)) }
    expect(await post(send, '/token', { form })).toMatchObject(INVALID_GRANT)
    expect(await post(send, '/token', { form })).toMatchObject(INVALID_CLIENT)
  })

  test('may have a metadata document, with its keys elsewhere', async () => {
    const id = 'https://client.example/app.json'
    const jwks_uri = 'https://keys.example/jwks.json'
    const document = { client_id: id, redirect_uris: [REDIRECT], token_endpoint_auth_method: 'private_key_jwt', jwks_uri }
    const fetched: string[] = []
    const fetch = (async (url: string, init: RequestInit) => {
      if (!url.includes('.example/')) return globalThis.fetch(url, init)
      fetched.push(url)
      return Response.json(url === id ? document : keys.jwks)
    }) as typeof globalThis.fetch
    const { send, browser } = await startProxy({ fetch })
    const code = await obtainCode(browser(), id)
    const { status } = await post(send, '/token', { form: { ...codeForm(id, code), ...(await assertionOf(id)) } })
    expect([status, fetched]).toEqual([200, [id, jwks_uri]])
  })

  test.each([
    ['no keys', {}],
    ['keys that are no key set', { jwks: [] }],
    ['too many keys', { jwks: { keys: [{ kty: 'RSA', n: 'x'.repeat(3000) }] } }],
    ['two sources of keys', { jwks: { keys: [] }, jwks_uri: 'https://keys.example/jwks.json' }],
  ])('cannot be registered with %s', async (_, metadata) => {
    const { send } = await startProxy()
    const registration = await registerClient(send, { token_endpoint_auth_method: 'private_key_jwt', ...metadata })
    if ('jwks_uri' in metadata) expect(registration).toHaveProperty('client_id')
    else expect(registration).toMatchObject({ error: 'invalid_client_metadata' })
  })
})

describe('a client of the configuration', () => {
  const client: ProxyClientRegistration = {
    clientId: 'desk',
    name: 'Desk',
    redirectUris: [REDIRECT],
    clientSecret: 's3cret: & more',
  }

  test('authenticates with its secret, and users consent to it', async () => {
    const { send, browser } = await startProxy({ clients: [client], dynamicRegistration: false })
    const page = await send(`/authorize?${new URLSearchParams({ client_id: 'desk', redirect_uri: 'https://evil.example' })}`)
    expect(page.status).toBe(400)
    const form = without(codeForm('desk', await obtainCode(browser(), 'desk')), 'client_id')
    expect(await post(send, '/token', { form, headers: basic('desk', 'x') })).toMatchObject(INVALID_CLIENT)
    expect((await post(send, '/token', { form, headers: basic('desk', 's3cret: & more') })).status).toBe(200)
  })

  test('may be public', async () => {
    const { send, browser } = await startProxy({ clients: [{ clientId: 'desk', name: 'Desk', redirectUris: [REDIRECT] }] })
    const form = codeForm('desk', await obtainCode(browser(), 'desk'))
    expect((await post(send, '/token', { form })).status).toBe(200)
  })

  test.each<[string, Partial<ProxyClientRegistration>]>([
    ['no id', { clientId: '' }],
    ['the id of a document', { clientId: 'https://client.example/app.json' }],
    ['an invalid redirect URI', { redirectUris: ['https:evil'] }],
    ['no redirect URI', { redirectUris: [] }],
    ['a method without its key', { authentication: 'private_key_jwt' }],
  ])('is refused with %s', (_, changes) => {
    const upstream = { authorizationEndpoint: `${ORIGIN}/a`, tokenEndpoint: `${ORIGIN}/t`, clientId: 'x' }
    const clients = [{ ...client, ...changes }]
    expect(() => oauthProxy({ resource: RESOURCE, upstream, identify: () => ({ subject: 'x' }), clients })).toThrow(TypeError)
  })
})
