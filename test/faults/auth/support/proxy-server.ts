import { createServer } from 'portcall'
import { type OAuthProxyOptions, oauthProxy } from 'portcall/auth/proxy'
import { protect } from 'portcall/auth/server'
import { serve } from 'portcall/node'
import type { TestAuthorizationServer } from 'portcall/testing'
import { onTestFinished } from 'vitest'
import { freePort } from '../../../support/free-port.mjs'
import { type RawServer, testRaw } from '../../client/support/raw-server.ts'
import { testAuthorizationServer } from './protected-server.ts'

export const REDIRECT = 'https://app.example/back'

/** A server with an OAuth proxy in front of an identity provider. */
export interface ProxyServer {
  readonly url: string
  readonly origin: string
  /** The identity provider. */
  readonly upstream: TestAuthorizationServer
  /** The API of the identity provider, which a tool calls for its users. */
  readonly api: RawServer
  /** Registers a client. */
  register(metadata?: Readonly<Record<string, unknown>>): Promise<{ status: number; id: string; body: string }>
  /** Returns the URL that a client opens to sign a user in. */
  authorizationUrl(clientId: string, overrides?: Readonly<Record<string, string | undefined>>): Promise<string>
  /** Sends a token request. */
  requestTokens(form: Readonly<Record<string, string>>): Promise<{ status: number; json: Record<string, string> }>
}

export const VERIFIER = 'v'.repeat(43)

/** Starts all servers until the test ends. */
export async function testProxy(options: Partial<OAuthProxyOptions> = {}): Promise<ProxyServer> {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const resource = `${origin}/mcp`
  const known = { client_id: 'server', client_secret: 'idp-s3cret', redirect_uris: [`${origin}/authorize/callback`] }
  const upstream = await testAuthorizationServer({ clients: [known] })
  const api = await testRaw((_, answer) => answer.send(200, {}, 'data'))
  const proxy = oauthProxy({
    resource,
    upstream: {
      issuer: upstream.issuer,
      authorizationEndpoint: `${upstream.issuer}/authorize`,
      tokenEndpoint: `${upstream.issuer}/token`,
      clientId: known.client_id,
      clientSecret: known.client_secret,
      scopes: ['profile'],
    },
    identify: () => ({ subject: 'ada' }),
    ...options,
  })
  const server = createServer({ name: 'proxied', version: '1.0.0' })
  server.tool('data', {}, async (_, { auth }) => {
    const token = await proxy.upstreamToken(auth)
    return (await fetch(api.url, { headers: { authorization: `Bearer ${token}` } })).text()
  })
  const serving = await serve(server, { port, ...protect({ resource, verify: proxy }) })
  onTestFinished(() => serving.close())

  return {
    url: resource,
    origin,
    upstream,
    api,
    async register(metadata = {}) {
      const body = JSON.stringify({ client_name: 'App', redirect_uris: [REDIRECT], ...metadata })
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(`${origin}/register`, { method: 'POST', body, headers })
      const text = await response.text()
      return { status: response.status, body: text, id: response.ok ? (JSON.parse(text) as { client_id: string }).client_id : '' }
    },
    async authorizationUrl(clientId, overrides = {}) {
      const parameters = {
        client_id: clientId,
        redirect_uri: REDIRECT,
        response_type: 'code',
        state: 'state-of-client',
        code_challenge: await challengeOf(VERIFIER),
        code_challenge_method: 'S256',
        resource,
        ...overrides,
      }
      const url = new URL(`${origin}/authorize`)
      for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value)
      return url.href
    },
    async requestTokens(form) {
      const response = await fetch(`${origin}/token`, { method: 'POST', body: new URLSearchParams(form) })
      return { status: response.status, json: (await response.json()) as Record<string, string> }
    },
  }
}

async function challengeOf(verifier: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  return Buffer.from(hash).toString('base64url')
}
