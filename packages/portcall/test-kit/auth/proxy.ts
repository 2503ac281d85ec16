import { createHash } from 'node:crypto'
import type { OAuthProxyOptions } from '../../src/auth/proxy/options.ts'
import { oauthProxy } from '../../src/auth/proxy/proxy.ts'
import { protect } from '../../src/auth/server/protect.ts'
import { memoryStores } from '../../src/stores/memory/memory.ts'
import { generateKey } from '../../src/stores/sealing/seal.ts'
import type { AuthorizationServerOptions } from '../../src/testing/oauth/options.ts'
import { createNotesServer, HANDLERS, RESOURCE, type Send, startIssuer } from './protected-server.ts'

export const ORIGIN = 'https://api.example.com'
export const REDIRECT = 'https://client.example/callback'
export const VERIFIER = 'v'.repeat(43)
export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')

/** Starts a protected server with a proxy in handler of an identity provider that consents to everything. The test controls the clock. */
export async function startProxy(
  options: Partial<OAuthProxyOptions> = {},
  provider: AuthorizationServerOptions = {},
  handler: keyof typeof HANDLERS = 'fetch',
) {
  const clock = { ahead: 0 }
  const now = (): number => Date.now() + clock.ahead
  const redirect_uris = [`${ORIGIN}/authorize/callback`]
  const idp = await startIssuer({
    now,
    clients: [{ client_id: 'portcall', client_secret: 'upstream secret', redirect_uris }],
    ...provider,
  })
  const upstream = {
    issuer: idp.issuer,
    authorizationEndpoint: `${idp.issuer}/authorize`,
    tokenEndpoint: `${idp.issuer}/token`,
    revocationEndpoint: `${idp.issuer}/revoke`,
    clientId: 'portcall',
    clientSecret: 'upstream secret',
    scopes: ['repo', 'offline_access'],
  }
  const { store, entries } = createRecordingStore(now)
  const identified: string[] = []
  const proxy = oauthProxy({
    resource: RESOURCE,
    upstream,
    scopes: ['notes:read', 'notes:write'],
    identify: ({ accessToken }) => {
      identified.push(accessToken)
      return { subject: 'ann' }
    },
    store,
    sealingKeys: [generateKey()],
    now,
    ...options,
  })
  const send = await HANDLERS[handler](createNotesServer(), protect({ resource: RESOURCE, verify: proxy, now }))
  return { clock, idp, upstream, proxy, send, store, entries, identified, browser: () => createBrowser(send) }
}

/** Creates a store that records everything that is written to it. */
function createRecordingStore(now: () => number) {
  const { store } = memoryStores({ now })
  const entries: string[] = []
  const recordingStore: typeof store = {
    ...store,
    set: (key, value, ...rest) => {
      entries.push(`${key} ${value}`)
      return store.set(key, value, ...rest)
    },
    compareAndSet: (key, change) => {
      entries.push(`${key} ${change.value}`)
      return store.compareAndSet(key, change)
    },
  }
  return { store: recordingStore, entries }
}

export interface Browser {
  readonly cookies: Map<string, string>
  readonly setCookies: string[]
  get(path: string, headers?: Record<string, string>): Promise<Response>
  post(path: string, form: Record<string, string>, headers?: Record<string, string>): Promise<Response>
}

/** Creates a browser that stores cookies and follows no redirects. */
export function createBrowser(send: Send): Browser {
  const cookies = new Map<string, string>()
  const setCookies: string[] = []
  const request = async (path: string, init: RequestInit): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await send(path, {
      ...init,
      headers: { ...(cookie && { cookie }), ...init.headers } as Record<string, string>,
    })
    const set = response.headers.get('set-cookie')
    if (set !== null) {
      setCookies.push(set)
      const [name = '', value = ''] = set.split(';', 1)[0]?.split('=') ?? []
      cookies.set(name, value)
    }
    return response
  }
  return {
    cookies,
    setCookies,
    get: (path, headers = {}) => request(path, { headers }),
    post: (path, form, headers = {}) =>
      request(path, { method: 'POST', body: new URLSearchParams(form), headers: { origin: ORIGIN, ...headers } }),
  }
}

/** Registers a client and returns its id. */
export async function register(send: Send, metadata: object = {}): Promise<string> {
  const body = JSON.stringify({ client_name: 'Notes app', redirect_uris: [REDIRECT], ...metadata })
  const response = await send('/register', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return (await response.json()).client_id
}

/** Returns the path of an authorization request. */
export function authorizePath(clientId: string, more: Record<string, string> = {}): string {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT,
    state: 'client state',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    resource: RESOURCE,
    ...more,
  })
  return `/authorize?${query}`
}

/** Returns the sealed request in the form of a consent page. */
export async function sealedRequestOf(page: Response): Promise<string> {
  return /name="request" value="([^"]*)"/.exec(await page.text())?.[1] ?? ''
}

/** Returns the target of a redirect. */
export function locationOf(response: Response): URL {
  return new URL(response.headers.get('location') ?? 'about:blank')
}

/** Consents and signs in at the identity provider. Returns the path of the callback, which has not been requested yet. */
export async function signInUpstream(browser: Browser, clientId: string, more?: Record<string, string>): Promise<string> {
  const page = await browser.get(authorizePath(clientId, more))
  const allowed = await browser.post('/authorize', { request: await sealedRequestOf(page), decision: 'allow' })
  const signedIn = await fetch(locationOf(allowed), { redirect: 'manual' })
  const callback = locationOf(signedIn)
  return callback.pathname + callback.search
}

/** Signs in and returns the authorization code. */
export async function obtainCode(browser: Browser, clientId: string, more?: Record<string, string>): Promise<string> {
  return locationOf(await browser.get(await signInUpstream(browser, clientId, more))).searchParams.get('code') ?? ''
}

/** Sends a token request. */
export async function requestTokens(send: Send, form: Record<string, string>): Promise<{ status: number; json: any }> {
  const response = await send('/token', { method: 'POST', body: new URLSearchParams(form) })
  return { status: response.status, json: await response.json() }
}

/** Returns the form that redeems a code. */
export function codeForm(clientId: string, code: string): Record<string, string> {
  return {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    redirect_uri: REDIRECT,
    code_verifier: VERIFIER,
    resource: RESOURCE,
  }
}

/** Returns the form that redeems a refresh token. */
export function refreshForm(clientId: string, refresh_token: string): Record<string, string> {
  return { grant_type: 'refresh_token', client_id: clientId, refresh_token, resource: RESOURCE }
}
