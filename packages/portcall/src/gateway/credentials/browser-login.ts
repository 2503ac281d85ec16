import { checkOptions, type OptionNames } from '../../../../util/src/check-options.ts'
import { pathOf, queryOf } from '../../../../util/src/request-target.ts'
import type { AllowedAddress } from '../../auth/client/http/address-policy.ts'
import type { ClientSources, RegistrationRequest } from '../../auth/client/registration/registration-request.ts'
import { CLIENT_SOURCE_NAMES } from '../../auth/client/registration/registration-request.ts'
import type { ClientIdentity, GrantContext } from '../../auth/client/types.ts'
import type { Auth } from '../../jsonrpc/exchange.ts'
import { isObject } from '../../jsonrpc/message.ts'
import { isAuthError } from '../../protocol/authorizer.ts'
import type { Authenticate, HookRequest, HookResponse } from '../../protocol/http.ts'
import { namespaceStore } from '../../stores/namespace.ts'
import { openStore } from '../../stores/open-store.ts'
import { sealerKeys } from '../../stores/sealing/key-ring.ts'
import { createSealer, type Sealer } from '../../stores/sealing/seal.ts'
import { sealStore } from '../../stores/sealing/sealed-store.ts'
import type { KeyValueStore } from '../../stores/store.ts'
import type { IdentifyBrowser } from './account-options.ts'
import { createBrowserCookie } from './browser-cookie.ts'
import { CONNECT_PATH, LOGIN_PATH, messagePage, redirectTo } from './connect-page.ts'

/** Options of `browserLogin`. */
export interface BrowserLoginOptions extends ClientSources {
  /** The origin of the gateway, as browsers reach it. Register `/connect/login` there as redirect URI, if you register the client by hand. */
  readonly origin: string | URL
  /** The authorization server that issues the access tokens of callers. */
  readonly issuer: string
  /** The `resource` of `protect`: the token of the login is requested for the gateway. */
  readonly resource: string
  /** The `authenticate` of `protect`. It names the user of a browser as it names callers. */
  readonly authenticate: Authenticate
  /** The scopes to request. Default: none are named. */
  readonly scopes?: readonly string[]
  /** Keeps the registration of the gateway as a client, encrypted. Default: in memory; in workers, the store that they share. */
  readonly store?: KeyValueStore
  /** Keys that encrypt cookies and stored values. All processes of a gateway need the same. Default: a random key of this process or of its workers. */
  readonly sealingKeys?: readonly string[]
  /** Lifetime of a browser login, in milliseconds. Default: 600,000. */
  readonly sessionTtlMs?: number
  /** Called with the reason why a login failed, which the page does not show in full. Write it to your log. */
  readonly onFailure?: (error: unknown) => void
  /** Exemptions from the address policy for the requests to the authorization server. Default: none. */
  readonly allow?: readonly AllowedAddress[]
}

/** A login that has begun, as the browser keeps it. */
interface StartedLogin {
  readonly state: string
  /** The PKCE code verifier. */
  readonly verifier: string
  /** The client that the login was begun with, if it was registered dynamically. */
  readonly client?: ClientIdentity
  /** The page to return to. */
  readonly path: string
}

const SESSION_TTL_MS = 600_000
const LOGIN_TTL_MS = 600_000
const TIMEOUT_MS = 30_000
const [LOGIN, SESSION] = ['portcall-login', 'portcall-user']
const FAILED = (reason: string): HookResponse => messagePage(400, 'The login failed', reason)

const NAMES: OptionNames<BrowserLoginOptions> = {
  ...CLIENT_SOURCE_NAMES,
  origin: 'url',
  issuer: 'text',
  resource: 'text',
  authenticate: 'function',
  scopes: 'texts',
  store: 'store',
  sealingKeys: 'texts',
  sessionTtlMs: 1,
  onFailure: 1,
  allow: 'array',
}
const REQUIRED = {
  origin: 'Pass the origin of the gateway',
  issuer: 'Pass the authorization server',
  resource: 'Pass the URL of the gateway',
  authenticate: 'Pass the authenticate of protect(…)',
}

/**
 * Identifies the user of a browser: the user logs in at the authorization server that also issues the tokens of callers, with an authorization
 * code and PKCE. The access token is verified as that of a caller and then forgotten, and the browser gets an encrypted cookie with the name of
 * the user. Pass the result to `userAccounts` as `identify`.
 *
 * @example
 * const protection = protect({ resource, authorizationServers: [issuer], verify })
 * const identify = browserLogin({ origin, issuer, resource, authenticate: protection.authenticate, client: { clientId }, sealingKeys })
 */
export function browserLogin(options: BrowserLoginOptions): IdentifyBrowser {
  checkOptions('browserLogin()', options, { names: NAMES, required: REQUIRED })
  const { authenticate, onFailure, sessionTtlMs = SESSION_TTL_MS } = options
  const origin = new URL(options.origin)
  const redirectUri = origin.origin + LOGIN_PATH
  const sealer = createSealer(sealerKeys(options.sealingKeys))
  const cookies = { login: createBrowserCookie(LOGIN, origin), session: createBrowserCookie(SESSION, origin) }
  const client = createLoginClient(options, { redirectUri, sealer })

  const start = async (path: string): Promise<HookResponse> => {
    const { url, ...attempt } = await client.start()
    const login: StartedLogin = { ...attempt, path }
    const cookie = await sealer.seal(LOGIN, login, { ttlMs: LOGIN_TTL_MS })
    return redirectTo(url.href, { 'set-cookie': cookies.login.write(cookie, LOGIN_TTL_MS) })
  }
  const finish = async (request: HookRequest): Promise<HookResponse> => {
    const login = await openCookie(sealer, LOGIN, cookies.login.read(request))
    if (!isStartedLogin(login)) return FAILED('It took too long, or it was begun in another browser. Open the link again.')
    const token = await client.redeem(queryOf(request.target), login)
    const auth = await authenticate(withToken(request, token))
    if (!auth || isClient(auth)) return FAILED('The user is unknown here.')
    const cookie = await sealer.seal(SESSION, auth.principal, { ttlMs: sessionTtlMs })
    return redirectTo(origin.origin + login.path, { 'set-cookie': cookies.session.write(cookie, sessionTtlMs) })
  }
  return async (request) => {
    const path = pathOf(request.target)
    try {
      if (path === LOGIN_PATH) return await finish(request)
      const principal = await openCookie(sealer, SESSION, cookies.session.read(request))
      return typeof principal === 'string' ? principal : await start(path)
    } catch (error) {
      onFailure?.(error)
      return FAILED(describeFailure(error))
    }
  }
}

/** The gateway as a client of the authorization server. */
interface LoginClient {
  /** Creates an authorization request. @throws AuthError */
  start(): Promise<Omit<StartedLogin, 'path'> & { readonly url: URL }>
  /** Exchanges the authorization response for an access token. @throws AuthError */
  redeem(response: URLSearchParams, login: StartedLogin): Promise<string>
}

function createLoginClient(
  { issuer, resource, scopes = [], store, allow = [], ...sources }: BrowserLoginOptions,
  { redirectUri, sealer }: { readonly redirectUri: string; readonly sealer: Sealer },
): LoginClient {
  const loginStore = sealStore(namespaceStore(openStore(store, TIMEOUT_MS), 'portcall:gateway:login:'), sealer)
  const load = async () => {
    const [{ createSafeFetch }, { fetchServerMetadata }, { createClientRegistrar }, attempt] = await Promise.all([
      import('../../auth/client/http/safe-fetch.ts'),
      import('../../auth/client/discovery/server-metadata.ts'),
      import('../../auth/client/registration/client-registration.ts'),
      import('../../auth/client/grants/authorization-attempt.ts'),
    ])
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const { fetch, checkBrowserUrl } = createSafeFetch({ trustedUrl: new URL(issuer), allow })
    const server = await fetchServerMetadata(issuer, { fetch, signal })
    const scope = scopes.length > 0 ? scopes.join(' ') : undefined
    const endpoint = new URL(resource)
    const context: GrantContext = {
      endpoint,
      server,
      resource,
      scope,
      store: loginStore,
      fetch,
      checkBrowserUrl,
      dpop: undefined,
      signal,
    }
    const registrar = createClientRegistrar(sources, 'login')
    return { attempt, context, registrar }
  }
  const request: RegistrationRequest = {
    redirectUris: [redirectUri],
    grantTypes: ['authorization_code'],
    applicationType: redirectUri.startsWith('https:') ? 'web' : 'native',
    signInTtlMs: LOGIN_TTL_MS,
  }
  return {
    async start() {
      const { attempt, context, registrar } = await load()
      const { client, isDynamic } = await registrar.resolve(context, request)
      const { url, state, verifier } = await attempt.createAuthorizationAttempt(context, { client, redirectUri })
      if (isDynamic) await registrar.recordSignIn(context, client, 'started')
      return { url, state, verifier, ...(isDynamic && { client }) }
    },
    async redeem(response, { state, verifier, client: dynamicClient }) {
      const { attempt, context, registrar } = await load()
      const client = dynamicClient ?? (await registrar.resolve(context, request)).client
      await registrar.recordSignIn(context, client, 'returned')
      try {
        const { accessToken } = await attempt.redeemResponse(response, { state, verifier, redirectUri, client }, context)
        return accessToken
      } catch (error) {
        const { refusalOf } = await import('../../auth/client/registration/registered-client.ts')
        if (refusalOf(error)) await registrar.forget(context, client)
        throw error
      }
    },
  }
}

/** Opens the value of a cookie. `undefined` if it is missing, was changed or has expired. */
async function openCookie(sealer: Sealer, purpose: string, value: string | undefined): Promise<unknown> {
  return value === undefined ? undefined : sealer.open(purpose, value).catch(() => undefined)
}

/** Only pages of the gateway that this login is for can be returned to. */
function isStartedLogin(value: unknown): value is StartedLogin {
  return isObject(value) && typeof value.path === 'string' && value.path.startsWith(CONNECT_PATH)
}

/** The token of a login that names only the client would make all users one. */
function isClient({ subject, username, clientId }: Auth): boolean {
  return clientId !== undefined && subject === undefined && username === undefined
}

/** Returns a request of a caller with an access token. */
function withToken(request: HookRequest, token: string): HookRequest {
  return {
    ...request,
    header: (name) => (name === 'authorization' ? `Bearer ${token}` : undefined),
    headerCount: (name) => (name === 'authorization' ? 1 : 0),
  }
}

/** Describes errors of authorization servers to the user. What else went wrong is not for the page. */
function describeFailure(error: unknown): string {
  return isAuthError(error) ? error.message : 'This service does not accept the login. Its operator finds the reason in the log.'
}
