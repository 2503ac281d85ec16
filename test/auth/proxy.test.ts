/** A server with an OAuth proxy in front of a provider without dynamic registration. */
import { generateKeyPairSync } from 'node:crypto'
import { type AuthProvider, browserSignIn } from 'portcall/auth/client'
import { type OAuthProxyOptions, oauthProxy, type UpstreamTokens } from 'portcall/auth/proxy'
import { type Client, connect } from 'portcall/client'
import { memoryStores } from 'portcall/stores'
import { expect, onTestFinished, test } from 'vitest'
import { startPrintingProgram } from '../support/printing-program.ts'
import { createBrowser } from './support/browser.ts'
import { reserveUrl, SCOPES, serveNotes } from './support/notes.ts'
import { startProvider, USER } from './support/provider.ts'
import { whoami } from './support/test-server.ts'
import { advanceClock } from './support/time.ts'

/** Returns the user of the provider's ID token. */
function identify({ idToken = '' }: UpstreamTokens): { subject: string } {
  const [, claims = ''] = idToken.split('.')
  return { subject: JSON.parse(Buffer.from(claims, 'base64url').toString()).sub }
}

const known = {
  client_id: 'notes',
  client_secret: 's3cret',
  application_type: 'native',
  grant_types: ['authorization_code', 'refresh_token'],
}

/** Starts a provider whose client is the proxy of a server that does not run yet. */
async function startProxyProvider() {
  const { url: resource, port } = await reserveUrl()
  const { origin } = new URL(resource)
  const client = { ...known, redirect_uris: [`${origin}/authorize/callback`] }
  const provider = await startProvider({ resource, scope: SCOPES.join(' '), clients: [client as never] })
  return { resource, port, origin, provider }
}

/** Starts a provider with one client, and a server with a proxy that is this client. */
async function startProxyServer(options: Partial<OAuthProxyOptions> = {}) {
  const { resource, port, origin, provider } = await startProxyProvider()
  const upstream = {
    issuer: provider.issuer,
    authorizationEndpoint: `${provider.issuer}/auth`,
    tokenEndpoint: `${provider.issuer}/token`,
    revocationEndpoint: `${provider.issuer}/token/revocation`,
    clientId: known.client_id,
    clientSecret: known.client_secret,
    scopes: ['openid'],
  }
  const serving = await serveNotes(port, {
    verify: oauthProxy({ resource, upstream, identify, scopes: SCOPES, now: () => Date.now(), ...options }),
  })
  const opened: URL[] = []
  const browser = createBrowser()
  const open = async (url: URL): Promise<void> => {
    opened.push(url)
    await browser.open(url.href)
  }
  onTestFinished(async () => {
    await serving.close()
    await provider.close()
  })
  const connectWith = async (auth: AuthProvider, protocolVersion = '2026-07-28') => {
    const client = await connect(resource, { auth, protocolVersion })
    onTestFinished(() => client.close())
    return client as Client
  }
  return { resource, origin, provider, open, opened, connectWith }
}

test.each(['2026-07-28', '2025-11-25', '2025-03-26'])(
  'a user signs in through the proxy with a client of %s, and stays signed in',
  async (protocolVersion) => {
    const { origin, provider, open, opened, connectWith } = await startProxyServer({ accessTokenTtlMs: 60_000 })
    const client = await connectWith(browserSignIn({ open, timeoutMs: 5000 }), protocolVersion)
    expect(await whoami(client)).toMatchObject({ subject: USER })
    expect(opened[0]?.origin).toBe(origin)
    expect(provider.grants).toEqual(['authorization_code'])
    advanceClock(61_000)
    await Promise.all(Array.from({ length: 10 }, () => whoami(client)))
    expect(opened).toHaveLength(1)
  },
)

test.skipIf(process.platform === 'win32')(
  'workers without a store share sign-ins: each step is answered by another one, and all accept the token',
  { timeout: 60_000 },
  async () => {
    const { resource, port, provider } = await startProxyProvider()
    onTestFinished(() => provider.close())
    const env = { PORT: String(port), ISSUER: provider.issuer }
    const printed = await startPrintingProgram(new URL('support/proxy-workers.mjs', import.meta.url), env)
    const browser = createBrowser()
    const open = async (url: URL): Promise<void> => void (await browser.open(url.href))
    const client = await connect(resource, { auth: browserSignIn({ open }) })
    onTestFinished(() => client.close())
    // Calls at the same time use several connections.
    const results = await Promise.all(Array.from({ length: 8 }, () => client.callTool('whoami')))
    const texts = new Set(results.map(({ content }) => JSON.stringify(content)))
    expect([...texts].sort()).toMatchObject([expect.stringContaining('ada at 1'), expect.stringContaining('ada at 2')])
    const steps = [...printed().matchAll(/^(GET|POST) (\/authorize\S*) (\d)$/gm)]
    expect(steps.map(([, method, path]) => `${method} ${path}`)).toEqual([
      'GET /authorize',
      'POST /authorize',
      'GET /authorize/callback',
    ])
    const [page, decision, callback] = steps.map(([, , , worker]) => worker)
    expect(decision).not.toBe(page)
    expect(callback).not.toBe(decision)
  },
)

test('a client that signs out ends its session at the provider', async () => {
  const { origin, provider, open, opened, connectWith } = await startProxyServer()
  const { store } = memoryStores()
  const client = await connectWith(browserSignIn({ open, timeoutMs: 5000, store }))
  await whoami(client)
  const [key = ''] = await store.list('portcall:tokens:')
  const { refreshToken, client: registered } = JSON.parse((await store.get(key)) ?? '')
  const body = new URLSearchParams({ token: refreshToken, client_id: registered.clientId })
  expect((await fetch(`${origin}/revoke`, { method: 'POST', body })).status).toBe(200)
  expect(provider.revocations).toBe(1)
  expect(await whoami(client)).toMatchObject({ subject: USER })
  expect(opened).toHaveLength(2)
})

test.each(['client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const)(
  'a client that was registered by hand authenticates with %s',
  async (authentication) => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const isKey = authentication === 'private_key_jwt'
    const registration = {
      clientId: 'desk',
      name: 'Desk',
      redirectUris: ['http://127.0.0.1/callback'],
      authentication,
      ...(isKey ? { keys: { keys: [publicKey.export({ format: 'jwk' })] } } : { clientSecret: 's3cret: & more' }),
    }
    const { origin, provider, open, connectWith } = await startProxyServer({
      clients: [registration as never],
      dynamicRegistration: false,
      accessTokenTtlMs: 60_000,
    })
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const credentials = isKey ? { privateKey: pem, algorithm: 'ES256' } : { clientSecret: 's3cret: & more' }
    const own = { clientId: 'desk', issuer: origin, authentication, ...credentials }
    const client = await connectWith(browserSignIn({ open, timeoutMs: 5000, client: own }))
    expect(await whoami(client)).toMatchObject({ subject: USER, clientId: 'desk' })
    advanceClock(61_000)
    expect(await whoami(client)).toMatchObject({ subject: USER, clientId: 'desk' })
    expect(provider.decisions).toBe(2)
    const stranger = browserSignIn({ open, timeoutMs: 5000, client: { clientId: 'desk', issuer: origin } })
    await expect(connectWith(stranger).then(whoami)).rejects.toMatchObject({ code: 'AUTH_FAILED' })
  },
)
