import type { Auth } from '../../../jsonrpc/exchange.ts'
import { createMemoryStore } from '../../../stores/memory-store.ts'
import { createSealer } from '../../../stores/seal.ts'
import { TokenRefused, VerifierUnavailable } from '../errors.ts'
import { documentPage } from '../metadata.ts'
import { pathOf, readHttps, readResource } from '../resource.ts'
import type { Page, ResourceRequest, Verifier } from '../types.ts'
import { callbackOf, decide, showConsent } from './authorize.ts'
import { comeBack } from './callback.ts'
import { createClients } from './clients.ts'
import { createGrants } from './grants.ts'
import { createKeeper } from './keeper.ts'
import { type OAuthProxyOptions, PROXY_LIFETIMES, type ProxyLifetimes } from './options.ts'
import { jsonPage, OAuthRefusal, readJson, refusalPage, textPage } from './pages.ts'
import { PATHS, type Realm } from './realm.ts'
import { giveTokens, revoke } from './token.ts'
import { createUpstream, UpstreamRefused } from './upstream.ts'

/** A verifier that is an authorization server too, and lets users sign in at an identity provider. */
export interface OAuthProxy extends Verifier {
  readonly issuers: readonly string[]
  readonly beside: NonNullable<Verifier['beside']>
  /**
   * A fresh access token of the identity provider for whoever is calling, to call its API with.
   *
   * @throws TokenRefused when the user has to sign in again, VerifierUnavailable when the identity provider is silent.
   */
  upstreamToken(auth: Auth | undefined): Promise<string>
}

type Endpoint = (request: ResourceRequest, realm: Realm) => Promise<Page>

/** What is at each path, by method. Programs read refusals as JSON, people as text. */
const ENDPOINTS: Readonly<
  Record<string, { readonly methods: Readonly<Record<string, Endpoint>>; readonly refuse: typeof refusalPage }>
> = {
  [PATHS.authorize]: { methods: { GET: showConsent, POST: decide }, refuse: ({ message, status }) => textPage(message, status) },
  [PATHS.callback]: { methods: { GET: comeBack }, refuse: ({ message, status }) => textPage(message, status) },
  [PATHS.token]: { methods: { POST: giveTokens }, refuse: refusalPage },
  [PATHS.register]: { methods: { POST: register }, refuse: refusalPage },
  [PATHS.revoke]: { methods: { POST: revoke }, refuse: refusalPage },
}
const MIN_UPSTREAM_MS = 30_000

/**
 * Makes the server's origin an authorization server, whose users sign in at an identity provider: for clients of 2025-03-26, which look for one
 * there, and for identity providers where clients cannot register. Clients register here, or have a document; users are asked about each; and
 * tokens are ours, so that none of the identity provider ever leaves.
 * https://modelcontextprotocol.io/specification/2025-03-26/basic/authorization#2-10-third-party-authorization-flow
 *
 * @throws TypeError for options that could not protect anything.
 *
 * @example
 * const proxy = oauthProxy({ resource, upstream, identify, store, keys })
 * await serve(server, protect({ resource, verify: proxy }))
 */
export function oauthProxy(options: OAuthProxyOptions): OAuthProxy {
  const realm = createRealm(options)
  const { issuer, grants, resource } = realm
  const metadata = JSON.stringify(describe(realm))
  return {
    issuers: [issuer],
    async verify(token) {
      const found = await grants.findAccess(token)
      if (!found) return undefined
      const { clientId, subject, scopes, id } = found.grant
      const expiresAt = found.record.expiresAt / 1000
      return { issuer, audience: [resource.uri], subject, clientId, scopes, expiresAt, claims: { grant: id } }
    },
    beside(request) {
      const path = pathOf(request.target)
      if (path === PATHS.metadata) return documentPage(request.method, metadata)
      return Object.hasOwn(ENDPOINTS, path) ? answer(path, request, realm) : undefined
    },
    async upstreamToken(auth) {
      const id = auth?.issuer === issuer ? (auth.claims as { grant?: unknown } | undefined)?.grant : undefined
      const grant = typeof id === 'string' ? await grants.find(id) : undefined
      if (!grant) throw new TokenRefused('The user has to sign in again')
      return realm.keeper.fresh(grant, MIN_UPSTREAM_MS).then(
        ({ accessToken }) => accessToken,
        (error) => {
          throw error instanceof UpstreamRefused ? new TokenRefused('The user has to sign in again', { cause: error }) : error
        },
      )
    },
  }
}

function createRealm(options: OAuthProxyOptions): Realm {
  const resource = readResource(options.resource)
  readHttps('upstream.authorizationEndpoint', options.upstream.authorizationEndpoint)
  const { now = Date.now, store = createMemoryStore({ now }), scopes = [], keys } = options
  const issuer = resource.origin
  const lifetimes = lifetimesOf(options)
  const sealer = createSealer({ now, ...(keys && { keys }) })
  const upstream = createUpstream(options, callbackOf(issuer), now)
  const grants = createGrants({ store, sealer, lifetimes, now })
  const keeper = createKeeper({ grants, upstream, store, now })
  const clients = createClients({ ...options, sealer, clientMs: lifetimes.clientMs })
  return { options, resource, issuer, scopes, lifetimes, store, sealer, clients, grants, upstream, keeper, now }
}

function lifetimesOf(options: OAuthProxyOptions): ProxyLifetimes {
  const { accessMs, grantMs, loginMs, codeMs, clientMs } = { ...PROXY_LIFETIMES, ...options }
  return { accessMs, grantMs, loginMs, codeMs, clientMs }
}

/** What the proxy says of itself (RFC 8414). */
function describe({ issuer, scopes, options: { registration = true, documents = true } }: Realm): object {
  return {
    issuer,
    authorization_endpoint: issuer + PATHS.authorize,
    token_endpoint: issuer + PATHS.token,
    revocation_endpoint: issuer + PATHS.revoke,
    ...(registration && { registration_endpoint: issuer + PATHS.register }),
    ...(scopes.length > 0 && { scopes_supported: scopes }),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: documents,
  }
}

async function answer(path: string, request: ResourceRequest, realm: Realm): Promise<Page> {
  const { methods, refuse } = ENDPOINTS[path] as (typeof ENDPOINTS)[string]
  const endpoint = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined
  if (!endpoint) return { status: 405, headers: { allow: Object.keys(methods).join(', ') } }
  try {
    return await endpoint(request, realm)
  } catch (error) {
    if (error instanceof OAuthRefusal) return refuse(error)
    if (error instanceof VerifierUnavailable)
      return refuse(new OAuthRefusal('temporarily_unavailable', 'The identity provider is silent', 503))
    throw error
  }
}

async function register(request: ResourceRequest, { clients, now }: Realm): Promise<Page> {
  const { id, name, redirectUris } = await clients.register(await readJson(request))
  const registered = {
    client_id: id,
    client_id_issued_at: Math.floor(now() / 1000),
    client_name: name,
    redirect_uris: redirectUris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
  return jsonPage(registered, 201)
}
