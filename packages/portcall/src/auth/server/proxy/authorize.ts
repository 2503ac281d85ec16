/**
 * A user comes from a client and wants to sign in. Everything about the request is checked before the user is sent anywhere; then the user is
 * asked, each time: all clients are one client to the identity provider, which would let them in without a word (the confused deputy).
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/security_best_practices#confused-deputy-problem
 */
import { isSame, sha256 } from '../digest.ts'
import { isSameResource } from '../resource.ts'
import type { Page, ResourceRequest } from '../types.ts'
import { consentPage } from './consent.ts'
import { readCookie, writeCookie } from './cookies.ts'
import { OAuthRefusal, readForm, readQuery, redirectPage, textPage } from './pages.ts'
import { PATHS, type Realm } from './realm.ts'
import { isRegistered } from './redirects.ts'
import { random } from './upstream.ts'

/** A checked request of a client. */
export interface Asked {
  readonly clientId: string
  readonly redirectUri: string
  readonly challenge: string
  readonly scopes: readonly string[]
  /** The client's own. */
  readonly state?: string | undefined
}

/** What waits for a user to come back from the identity provider. */
export interface Login extends Asked {
  readonly verifier: string
}

export const STATE_KEY = 'proxy/state/'
export const STATE_COOKIE = 'portcall-state-'
export const STATE_PURPOSE = 'proxy-browser'
const VISIT_COOKIE = 'portcall-visit'
const REQUEST_PURPOSE = 'proxy-request'
const CHALLENGE = /^[\w-]{43}$/
const VISIT = /^[\w-]{43}$/
const MAX_STATE_LENGTH = 2048

/** Asks the user whether the client may sign in for them. */
export async function showConsent(request: ResourceRequest, realm: Realm): Promise<Page> {
  const query = readQuery(request)
  const client = await realm.clients.find(query.get('client_id') ?? '')
  const redirectUri = query.get('redirect_uri') ?? ''
  if (!isRegistered(redirectUri, client.redirectUris))
    throw new OAuthRefusal('invalid_request', 'The redirect_uri is not one that the client has registered')
  const state = query.get('state')
  const head = { clientId: client.id, redirectUri, ...(state !== undefined && { state }) }
  try {
    const { options, sealer, lifetimes, resource } = realm
    const asked: Asked = { ...head, ...readRequest(query, realm) }
    const old = readCookie(request, VISIT_COOKIE)
    const visit = old !== undefined && VISIT.test(old) ? old : random()
    const binding = await sha256(visit)
    const sealed = await sealer.seal(REQUEST_PURPOSE, asked, { ttlMs: lifetimes.loginMs, binding })
    const { authorizationEndpoint, scopes: upstreamScopes = [] } = options.upstream
    const upstreamHost = new URL(authorizationEndpoint).host
    const { name = resource.host } = options
    const question = { client, redirectUri, scopes: asked.scopes, name, upstreamHost, upstreamScopes, sealed }
    const cookie = writeCookie(VISIT_COOKIE, visit, { sameSite: 'Strict', maxAgeS: lifetimes.loginMs / 1000 })
    return consentPage(question, { 'set-cookie': cookie })
  } catch (error) {
    if (error instanceof OAuthRefusal) return backToClient(head, { error: error.error, error_description: error.message }, realm)
    throw error
  }
}

/** Takes the user's answer; after a yes, the user signs in at the identity provider. */
export async function decide(request: ResourceRequest, realm: Realm): Promise<Page> {
  const { issuer, sealer, lifetimes, store, upstream } = realm
  const origin = request.header('origin')
  const site = request.header('sec-fetch-site')
  if ((origin !== undefined && origin !== issuer) || (site !== undefined && site !== 'same-origin'))
    return textPage('This answer comes from another page.', 403)
  const form = await readForm(request)
  const binding = await sha256(readCookie(request, VISIT_COOKIE) ?? '')
  const asked = (await sealer.open(REQUEST_PURPOSE, form.get('request') ?? '', { binding }).catch(() => undefined)) as
    | Asked
    | undefined
  if (!asked) return textPage('This page is too old, or was made for another browser. Start again from the client.', 403)
  if (form.get('decision') !== 'allow') return backToClient(asked, { error: 'access_denied' }, realm)
  const [state, verifier] = [random(), random()]
  const login: Login = { ...asked, verifier }
  const hash = await sha256(state)
  await store.set(STATE_KEY + hash, JSON.stringify(login), { ttlMs: lifetimes.loginMs })
  const bound = await sealer.seal(STATE_PURPOSE, hash, { ttlMs: lifetimes.loginMs, binding: asked.clientId })
  const cookie = writeCookie(cookieOf(hash), bound, { sameSite: 'Lax', maxAgeS: lifetimes.loginMs / 1000 })
  return redirectPage(await upstream.authorizationUrl(state, verifier), { 'set-cookie': cookie })
}

/** The name of the cookie that holds a browser to its own attempt; several attempts may be under way. */
export function cookieOf(hash: string): string {
  return STATE_COOKIE + hash.slice(0, 8)
}

/** Tells whether a browser is the one that gave its consent. */
export async function isSameBrowser(
  request: ResourceRequest,
  { sealer }: Realm,
  [hash, login]: readonly [string, Login],
): Promise<boolean> {
  const bound = await sealer
    .open(STATE_PURPOSE, readCookie(request, cookieOf(hash)) ?? '', { binding: login.clientId })
    .catch(() => undefined)
  return typeof bound === 'string' && isSame(bound, hash)
}

/** Sends a user back to the client, at the address that was checked before. */
export function backToClient(
  { redirectUri, state }: Pick<Asked, 'redirectUri' | 'state'>,
  answer: Readonly<Record<string, string>>,
  { issuer }: Realm,
): Page {
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries({ ...answer, ...(state !== undefined && { state }), iss: issuer }))
    url.searchParams.set(name, value)
  return redirectPage(url)
}

function readRequest(
  query: ReadonlyMap<string, string>,
  { resource, scopes: offered }: Realm,
): Pick<Asked, 'challenge' | 'scopes'> {
  if (query.get('response_type') !== 'code') throw new OAuthRefusal('unsupported_response_type', 'Only codes are given out')
  const challenge = query.get('code_challenge') ?? ''
  if (query.get('code_challenge_method') !== 'S256' || !CHALLENGE.test(challenge))
    throw new OAuthRefusal('invalid_request', 'PKCE with S256 is needed')
  if ((query.get('state')?.length ?? 0) > MAX_STATE_LENGTH) throw new OAuthRefusal('invalid_request', 'The state is too long')
  const asked = query.get('resource')
  if (asked !== undefined && !isSameResource(asked, resource.uri))
    throw new OAuthRefusal('invalid_target', `Tokens are given out for ${resource.uri}`)
  const wanted = (query.get('scope') ?? '').split(' ').filter((scope) => scope !== '' && scope !== 'offline_access')
  if (wanted.some((scope) => !offered.includes(scope))) throw new OAuthRefusal('invalid_scope', 'There is no such scope here')
  return { challenge, scopes: wanted.length > 0 ? [...new Set(wanted)] : offered }
}

/** The address that the identity provider sends users back to. */
export function callbackOf(issuer: string): string {
  return issuer + PATHS.callback
}
