import { checkOptions, type OptionNames } from '../../../../util/src/check-options.ts'
import type { ProxySetting } from '../../net/proxy-setting.ts'
import type { AuthorizedHeaders, AuthorizedSend, Authorizer, AuthProvider } from '../../protocol/authorizer.ts'
import { openStore } from '../../stores/open-store.ts'
import type { KeyValueStore } from '../../stores/store.ts'
import { createRateLimiter, type RateLimiter } from '../rate-limiter.ts'
import { type BearerChallenge, readBearerChallenge } from './discovery/challenge.ts'
import { createDpopKeys, type DpopOptions } from './dpop/keys.ts'
import { AuthError } from './errors.ts'
import type { AllowedAddress } from './http/address-policy.ts'
import { createSafeFetch } from './http/safe-fetch.ts'
import { describeOAuthError, sanitizeError } from './oauth/oauth-response.ts'
import type { PreRegisteredClient } from './registration/pre-registered.ts'
import { removeOfflineAccess } from './tokens/offline-access.ts'
import { coversScopes, joinScopes } from './tokens/scopes.ts'
import type { SignOutResult } from './tokens/sign-out.ts'
import { createTokenCache, type TokenCache } from './tokens/token-cache.ts'
import type { ActiveTokens, TokenManagerOptions } from './tokens/token-context.ts'
import { createTokenManager } from './tokens/token-manager.ts'
import { createTokenStore } from './tokens/token-store.ts'
import type { GrantType } from './types.ts'

/** Options of all providers that obtain tokens. */
export interface AuthProviderOptions {
  /** Stores tokens and registrations. Default: in memory, for this provider only. */
  readonly store?: KeyValueStore
  /** Time allowed for an operation of the store, in milliseconds. Default: 30,000, longer than a file may be locked. */
  readonly storeTimeoutMs?: number
  /** Separates the tokens of users who share a store. */
  readonly account?: string
  /** Scopes to request from the start. Default: those that the server names. */
  readonly scopes?: readonly string[]
  /**
   * Requests `offline_access`, in addition to other scopes, from authorization servers that list it, so that they issue refresh tokens. Only
   * sign-ins of users do that. A server that refuses it is asked again without it. Default: true.
   */
  readonly offlineAccess?: boolean
  /** How long before their expiry tokens are refreshed, in milliseconds. Default: 30,000, and at most half their lifetime. */
  readonly refreshAheadMs?: number
  /** How often additional scopes are requested for one operation within ten minutes. Default: 2; 0 for never. */
  readonly maxStepUps?: number
  /**
   * Binds tokens to a key, so that stolen tokens are worthless (RFC 9449), and refuses tokens that are not bound. The authorization server and
   * the MCP server have to support it. Default: false.
   */
  readonly dpop?: boolean | DpopOptions
  /** Exemptions from the address policy: host names, or `insecurePrivateAddresses`, `insecureHttp`. Default: none. */
  readonly allow?: readonly AllowedAddress[]
  /** Sends the requests to authorization servers instead of the platform's client. */
  readonly fetch?: typeof globalThis.fetch
  /**
   * The proxy for requests to authorization servers: `'env'`, a URL, or `false` for none. Node only. Default: `'env'` if `NODE_USE_ENV_PROXY=1`,
   * otherwise `false`.
   */
  readonly proxy?: ProxySetting
}

const STORE_TIMEOUT_MS = 30_000
const NAMES: OptionNames<AuthProviderOptions> = {
  store: 'store',
  storeTimeoutMs: 1,
  account: 'text',
  scopes: 'texts',
  offlineAccess: 'boolean',
  refreshAheadMs: 1,
  maxStepUps: 1,
  dpop: 1,
  allow: 'array',
  fetch: 1,
  proxy: 1,
}
const GRANT: OptionNames<GrantType> = {
  name: 'nonempty',
  offlineAccess: 'boolean',
  silent: 'boolean',
  chooseIssuer: 'function',
  obtain: 'function',
  client: 'function',
  forget: 'function',
}
const GRANT_REQUIRED = {
  name: 'It identifies the grant in the keys of the store',
  obtain: 'Pass a function that returns tokens',
  client: 'Pass a function that returns the client that the tokens were issued to',
}
const CLIENT = 'Pass it as a member of "client"'
const ADVICE = { scope: "Use scopes: ['…']", clientId: CLIENT, clientSecret: CLIENT, stores: 'Use "store"' }
const REFRESH_AHEAD_MS = 30_000
const MAX_STEP_UPS = 2

/** The options that one grant adds, and those that it needs. */
export type GrantOptionNames<T> = OptionNames<Omit<T, keyof AuthProviderOptions>>

/** The client that all grants with credentials need. */
export const CLIENT_REQUIRED = 'Pass client: { clientId, clientSecret, issuer }'

/**
 * Checks the options of a function that creates a provider: those of all providers, and its own.
 *
 * @throws TypeError.
 */
export function checkGrantOptions<T>(
  where: string,
  options: unknown,
  { own, required }: { readonly own: GrantOptionNames<T>; readonly required?: { readonly [name: string]: string } },
): void {
  checkOptions(where, options, { names: { ...NAMES, ...own }, advice: withoutOwn(own), required })
  if (Object.hasOwn(own, 'client')) checkClient(where, (options as { readonly client?: unknown }).client)
}

/** Returns the advice about options that the grant does not have itself. */
function withoutOwn(own: object): { readonly [name: string]: string } {
  return Object.fromEntries(Object.entries(ADVICE).filter(([name]) => !Object.hasOwn(own, name)))
}

const CLIENT_NAMES: OptionNames<PreRegisteredClient> = {
  clientId: 'text',
  clientSecret: 'text',
  privateKey: 1,
  algorithm: 'text',
  authentication: 1,
  issuer: 'text',
}

function checkClient(where: string, client: unknown): void {
  if (client === undefined) return
  const clientId = 'Pass the id of the client. Is an environment variable not set?'
  checkOptions(`${where}: client`, client, {
    names: CLIENT_NAMES,
    advice: { id: 'Use "clientId"', secret: 'Use "clientSecret"' },
    required: { clientId },
  })
}

/** A provider that obtains tokens, and can give them up. */
export interface OAuthProvider extends AuthProvider {
  /**
   * Signs out of the server at a URL: forgets its tokens and the client that was registered for them, also in the store, and revokes the tokens
   * if the authorization server has a revocation endpoint (RFC 7009). A failed revocation is reported and not thrown. The next call that needs a
   * token starts a new sign-in.
   *
   * @throws errors of the store; the reason of the signal.
   */
  signOut(url: string | URL, options?: { readonly signal?: AbortSignal }): Promise<SignOutResult>
}

/**
 * Creates an auth provider from a grant type. It adds what all grants share: discovery, storage, refresh and step-up.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 *
 * @throws TypeError for a grant or options that cannot work.
 */
export function createAuthProvider(grant: GrantType, options: AuthProviderOptions = {}): OAuthProvider {
  checkOptions('createAuthProvider()', grant, { names: GRANT, required: GRANT_REQUIRED, isOpen: true })
  return createProviderParts(grant, options).provider
}

/** A provider, and what it shares with a grant that obtains tokens outside of calls. */
export interface ProviderParts {
  readonly provider: OAuthProvider
  readonly store: KeyValueStore
  /** Separates what users and grants store in the same store. */
  readonly owner: string
  /** Returns how the tokens of an endpoint are managed. */
  managerOptionsOf(endpoint: URL): TokenManagerOptions
}

export function createProviderParts(grant: GrantType, options: AuthProviderOptions): ProviderParts {
  checkOptions(grant.name, options, { names: NAMES, advice: ADVICE, isOpen: true })
  const { storeTimeoutMs = STORE_TIMEOUT_MS, account = '' } = options
  const store = openStore(options.store, storeTimeoutMs)
  const owner = JSON.stringify([grant.name, account])
  const managers = new Map<string, TokenManagerOptions>()
  const authorizers = new Map<string, ManagedAuthorizer>()
  const managerOptionsOf: ProviderParts['managerOptionsOf'] = (url) => {
    const endpoint = new URL(url)
    endpoint.hash = ''
    const manager = managers.get(endpoint.href) ?? createManagerOptions(endpoint, grant, { ...options, store, owner })
    managers.set(endpoint.href, manager)
    return manager
  }
  const provider: OAuthProvider = {
    authorizer(url) {
      const manager = managerOptionsOf(url)
      const { href } = manager.endpoint
      const authorizer = authorizers.get(href) ?? createAuthorizer(manager, options)
      authorizers.set(href, authorizer)
      return authorizer
    },
    async signOut(url, { signal = new AbortController().signal } = {}) {
      const manager = managerOptionsOf(new URL(url))
      const result = await createTokenManager(manager).signOut(signal)
      authorizers.get(manager.endpoint.href)?.clear()
      return result
    },
  }
  return { provider, store, owner, managerOptionsOf }
}

interface OwnedOptions extends AuthProviderOptions {
  readonly store: KeyValueStore
  readonly owner: string
}

function createManagerOptions(endpoint: URL, grant: GrantType, options: OwnedOptions): TokenManagerOptions {
  const { store, owner, scopes = [], offlineAccess = true, refreshAheadMs = REFRESH_AHEAD_MS, allow = [], dpop = false } = options
  const { fetch, checkBrowserUrl } = createSafeFetch({ trustedUrl: endpoint, allow, fetch: options.fetch, proxy: options.proxy })
  return {
    endpoint,
    grant,
    store,
    tokenStore: createTokenStore(store, owner, endpoint),
    fetch,
    checkBrowserUrl,
    scope: joinScopes(...scopes),
    offlineAccess,
    refreshAheadMs,
    requireDpop: dpop !== false,
    dpopKeys: createDpopKeys(dpop === true || dpop === false ? {} : dpop),
  }
}

/** An authorizer whose tokens can be forgotten. */
interface ManagedAuthorizer extends Authorizer {
  clear(): void
}

function createAuthorizer(options: TokenManagerOptions, { maxStepUps = MAX_STEP_UPS }: AuthProviderOptions): ManagedAuthorizer {
  const cache = createTokenCache(createTokenManager(options))
  const stepUps = createRateLimiter({ maxAttempts: maxStepUps })
  return {
    clear: cache.clear,
    headers(request) {
      const { latest } = cache
      if (cache.ready && !latest?.dpop) return latest ? bearerHeaders(latest) : {}
      return cache.prepare(request.signal).then((active) => (active ? authorizationHeaders(active, request) : {}))
    },
    onResponse(response, sent) {
      const { status } = response
      const nonce = { url: sent.url, nonce: response.header('dpop-nonce'), proof: sent.headers.dpop }
      const lacksNonce = cache.latest?.dpop?.recordNonce(nonce) ?? false
      const token = tokenOf(sent)
      if (status !== 401 && token !== undefined) cache.markAccepted(token)
      if (status !== 401 && status !== 403) return false
      const challenge = readBearerChallenge(response.header('www-authenticate'))
      const rejection: Rejection = { challenge, token, sent }
      if (status === 403) return stepUp(cache, stepUps, rejection)
      return (lacksNonce && challenge.error === 'use_dpop_nonce') || getNewToken(cache, rejection)
    },
  }
}

/** A request that the server refused for its token. */
interface Rejection {
  readonly challenge: BearerChallenge
  readonly token: string | undefined
  readonly sent: AuthorizedSend
}

/**
 * Gets a token after one was missing or refused. Uses a token that another call has got meanwhile, else renews it. Refreshing and obtaining
 * are tried once each.
 */
async function getNewToken(cache: TokenCache, { challenge, token, sent }: Rejection): Promise<boolean> {
  const { current, accepted } = cache
  if (current && token !== current.tokens.accessToken) return true
  if (current?.source === 'obtained' && !accepted) throw tokenRefused(sent.url, challenge)
  const mayRefresh = current?.source !== 'refreshed' || accepted
  return cache.renew({ rejectedToken: token, challenge, mayRefresh }, sent.signal)
}

/** The error for a token that was just issued, with the reason that the server names. */
function tokenRefused({ origin }: URL, { error, description }: BearerChallenge): AuthError {
  const message = `${origin} refuses an access token that was just issued`
  if (error === undefined) return new AuthError('retries_exhausted', message)
  const response = sanitizeError(error, description)
  return new AuthError('retries_exhausted', `${message}: ${describeOAuthError(response)}`, { response })
}

/**
 * Requests the scopes that the token lacks, together with those that were requested before. The number of attempts is limited.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#step-up-authorization-flow
 */
async function stepUp(cache: TokenCache, stepUps: RateLimiter, { challenge, token, sent }: Rejection): Promise<boolean> {
  const { latest } = cache
  if (challenge.error !== 'insufficient_scope' || challenge.scope === undefined || !latest) return false
  const isRequested = coversScopes(latest.tokens.requestedScope, removeOfflineAccess(challenge.scope))
  if (isRequested) return token !== latest.tokens.accessToken
  const operation = `${sent.headers['mcp-method'] ?? sent.method} ${sent.headers['mcp-name'] ?? ''}`
  const mayStart = (): boolean => stepUps.tryAcquire(operation)
  return cache.renew({ rejectedToken: token, challenge, mayRefresh: false, mayStart }, sent.signal)
}

const SCHEME = /^(?:bearer|dpop) +/i

function tokenOf({ headers }: AuthorizedSend): string | undefined {
  const { authorization = '' } = headers
  return SCHEME.test(authorization) ? authorization.replace(SCHEME, '') : undefined
}

const bearerHeaders = ({ tokens }: ActiveTokens): AuthorizedHeaders => ({ authorization: `Bearer ${tokens.accessToken}` })

async function authorizationHeaders(
  active: ActiveTokens,
  { method, url }: Parameters<Authorizer['headers']>[0],
): Promise<AuthorizedHeaders> {
  const { accessToken } = active.tokens
  if (!active.dpop) return bearerHeaders(active)
  return { authorization: `DPoP ${accessToken}`, dpop: await active.dpop.createProof({ method, url, accessToken }) }
}
