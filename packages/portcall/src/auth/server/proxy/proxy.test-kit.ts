import { createHash } from 'node:crypto'
import { protect } from '../../../auth-server.ts'
import { generateKey } from '../../../index.ts'
import { memory } from '../../../stores.ts'
import type { AuthorizationServerOptions } from '../../../testing.ts'
import { FRONTS, login, notes, RESOURCE, type Send } from '../site.test-kit.ts'
import type { OAuthProxyOptions } from './options.ts'
import { oauthProxy } from './proxy.ts'

export const ORIGIN = 'https://api.example.com'
export const REDIRECT = 'https://client.example/callback'
export const VERIFIER = 'v'.repeat(43)
export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')

/** A proxy before an identity provider that says yes to everything, with the clock in our hand. */
export async function site(
  options: Partial<OAuthProxyOptions> = {},
  provider: AuthorizationServerOptions = {},
  front: keyof typeof FRONTS = 'fetch',
) {
  const clock = { ahead: 0 }
  const now = (): number => Date.now() + clock.ahead
  const redirect_uris = [`${ORIGIN}/authorize/callback`]
  const idp = await login({
    now,
    clients: [{ client_id: 'portcall', client_secret: 'upstream secret', redirect_uris }],
    ...provider,
  })
  const upstream = {
    issuer: idp.issuer,
    authorizationEndpoint: `${idp.issuer}/authorize`,
    tokenEndpoint: `${idp.issuer}/token`,
    clientId: 'portcall',
    clientSecret: 'upstream secret',
    scopes: ['repo', 'offline_access'],
  }
  const { store, entries } = watched(now)
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
    keys: [generateKey()],
    now,
    ...options,
  })
  const send = await FRONTS[front](notes(), protect({ resource: RESOURCE, verify: proxy, now }))
  return { clock, idp, proxy, send, store, entries, identified, browser: () => createBrowser(send) }
}

/** A store, and all that was ever written to it. */
function watched(now: () => number) {
  const { store } = memory({ now })
  const entries: string[] = []
  const watchedStore: typeof store = {
    ...store,
    set: (key, value, ...rest) => {
      entries.push(`${key} ${value}`)
      return store.set(key, value, ...rest)
    },
    swap: (key, change) => {
      entries.push(`${key} ${change.value}`)
      return store.swap(key, change)
    },
  }
  return { store: watchedStore, entries }
}

export interface Browser {
  readonly cookies: Map<string, string>
  readonly setCookies: string[]
  get(path: string, headers?: Record<string, string>): Promise<Response>
  post(path: string, form: Record<string, string>, headers?: Record<string, string>): Promise<Response>
}

/** A browser, as far as cookies go. */
export function createBrowser(send: Send): Browser {
  const cookies = new Map<string, string>()
  const setCookies: string[] = []
  const visit = async (path: string, init: RequestInit): Promise<Response> => {
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
    get: (path, headers = {}) => visit(path, { headers }),
    post: (path, form, headers = {}) =>
      visit(path, { method: 'POST', body: new URLSearchParams(form), headers: { origin: ORIGIN, ...headers } }),
  }
}

/** Registers a client, and gives its id. */
export async function register(send: Send, metadata: object = {}): Promise<string> {
  const body = JSON.stringify({ client_name: 'Notes app', redirect_uris: [REDIRECT], ...metadata })
  const response = await send('/register', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return (await response.json()).client_id
}

/** The address of an authorization request. */
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

/** What a consent page sends back. */
export async function sealedOf(page: Response): Promise<string> {
  return /name="request" value="([^"]*)"/.exec(await page.text())?.[1] ?? ''
}

/** Where an answer sends the browser. */
export function locationOf(response: Response): URL {
  return new URL(response.headers.get('location') ?? 'about:blank')
}

/** Says yes, signs in at the identity provider, and stands before the callback: its path. */
export async function upToCallback(browser: Browser, clientId: string, more?: Record<string, string>): Promise<string> {
  const page = await browser.get(authorizePath(clientId, more))
  const allowed = await browser.post('/authorize', { request: await sealedOf(page), decision: 'allow' })
  const signedIn = await fetch(locationOf(allowed), { redirect: 'manual' })
  const back = locationOf(signedIn)
  return back.pathname + back.search
}

/** The whole way to a code. */
export async function codeOf(browser: Browser, clientId: string, more?: Record<string, string>): Promise<string> {
  return locationOf(await browser.get(await upToCallback(browser, clientId, more))).searchParams.get('code') ?? ''
}

/** Asks the token endpoint. */
export async function tokens(send: Send, form: Record<string, string>): Promise<{ status: number; json: any }> {
  const response = await send('/token', { method: 'POST', body: new URLSearchParams(form) })
  return { status: response.status, json: await response.json() }
}

/** What turns a code into tokens. */
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

/** What turns a refresh token into tokens. */
export function refreshForm(clientId: string, refresh_token: string): Record<string, string> {
  return { grant_type: 'refresh_token', client_id: clientId, refresh_token, resource: RESOURCE }
}
