import { randomId } from '../../../../util/src/random.ts'
import { withoutUndefined } from '../../../../util/src/without-undefined.ts'
import { type AuthorizationContext, createAuthorizationContext } from './context.ts'
import { createMetadata } from './endpoints/management.ts'
import type { AuthorizationFaults } from './faults.ts'
import { type Listener, startListener } from './http-listener.ts'
import { type AuthorizationServerOptions, DEFAULT_LIFETIMES, type KeySet } from './options.ts'
import type { OAuthEndpoint, OAuthRequest } from './request.ts'
import { findRoute, respond } from './router.ts'
import { nowSeconds } from './settings.ts'
import { createSigningKeys } from './signing-keys.ts'

/** The access of a token that a test issues. */
export interface IssuedTokenOptions {
  /** The user, the `sub` of the token. Default: `user`. */
  readonly subject?: string
  /** The client that the token is issued to. Default: `client`. */
  readonly clientId?: string
  /** The scopes of the token. Default: none. */
  readonly scopes?: readonly string[]
  /** The audience of the token. Default: none. */
  readonly resources?: readonly string[]
  /** The thumbprint of the key that the token is bound to. */
  readonly jkt?: string
  /** A negative value creates an expired token. Default: `accessTokenTtlMs` of the server. */
  readonly ttlMs?: number
  /** Overrides claims; `undefined` removes one. */
  readonly claims?: Readonly<Record<string, unknown>>
}

/** A running authorization server, with the requests that it has received. */
export interface TestAuthorizationServer {
  /** The issuer identifier: the URL of the server. */
  readonly issuer: string
  /** The published metadata, with faults. */
  readonly metadata: Readonly<Record<string, unknown>>
  /** The published keys. */
  readonly keys: KeySet
  /** All requests, in order. */
  readonly requests: readonly OAuthRequest[]
  /** Returns the requests to one endpoint. */
  requestsTo(endpoint: OAuthEndpoint): readonly OAuthRequest[]
  /** Replaces all faults. `setFaults({})` removes all faults. */
  setFaults(faults: AuthorizationFaults): void
  /** Issues an access token without a request. */
  issue(options?: IssuedTokenOptions): Promise<string>
  /** Signs claims with the key of the server. Only `iss`, `iat` and `exp` are added; `undefined` removes a claim. */
  sign(claims: Readonly<Record<string, unknown>>, header?: Readonly<Record<string, unknown>>): Promise<string>
  /** Replaces the signing key. The old key remains published unless `forget` is set. */
  rotateKeys(options?: { forget?: boolean }): Promise<void>
  /** Replaces the nonce that DPoP proofs must contain. */
  renewNonce(): void
  /** Revokes a token; with a refresh token, all tokens of the same consent. */
  revoke(token: string): void
  /** Stops the server. */
  close(): Promise<void>
}

/**
 * Starts an OAuth authorization server on localhost, for tests of clients and of protected servers. It supports the authorization code
 * grant with PKCE, device codes, client credentials, refresh tokens, token exchange and JWT assertions; dynamic registration and client ID
 * metadata documents; key rotation; and faults. Consents to every request unless `decide` is set. All state is in memory.
 *
 * @example
 * const server = await authorizationServer({ scopes: ['notes:read'] })
 * const token = await server.issue({ subject: 'ada', scope: 'notes:read', resources: ['http://127.0.0.1:3000/mcp'] })
 * await server.close()
 */
export async function authorizationServer(options: AuthorizationServerOptions = {}): Promise<TestAuthorizationServer> {
  let faults = options.faults ?? {}
  let context: AuthorizationContext | undefined
  const requests: OAuthRequest[] = []
  const { path = '', port = 0 } = options

  const listener = await startListener(port, async (incoming) => {
    if (!context) return { status: 503 }
    const route = findRoute(incoming, options)
    const request = { ...incoming, endpoint: route?.endpoint ?? ('none' as const), status: 0 }
    requests.push(request)
    const response = await respond(request, route, context)
    request.status = response.status
    return response
  })
  const issuer = `http://127.0.0.1:${listener.port}${path}`
  context = await createContext(options, issuer, () => faults)
  return createInterface(context, { requests, listener, setFaults: (next) => (faults = next) })
}

async function createContext(
  options: AuthorizationServerOptions,
  issuer: string,
  faults: () => AuthorizationFaults,
): Promise<AuthorizationContext> {
  const jose = await import('jose')
  const { now = Date.now, algorithm = 'ES256', decide = () => ({ subject: 'user' }) } = options
  const keys = await createSigningKeys(jose, algorithm)
  const lifetimes = {
    accessTokenTtlMs: options.accessTokenTtlMs ?? DEFAULT_LIFETIMES.accessTokenTtlMs,
    refreshTokenTtlMs: options.refreshTokenTtlMs ?? DEFAULT_LIFETIMES.refreshTokenTtlMs,
    codeTtlMs: options.codeTtlMs ?? DEFAULT_LIFETIMES.codeTtlMs,
    deviceCodeTtlMs: options.deviceCodeTtlMs ?? DEFAULT_LIFETIMES.deviceCodeTtlMs,
    pollIntervalMs: options.pollIntervalMs ?? DEFAULT_LIFETIMES.pollIntervalMs,
  }
  return createAuthorizationContext({ jose, options, issuer, faults, now, keys, decide, lifetimes })
}

interface InterfaceOptions {
  readonly requests: readonly OAuthRequest[]
  readonly listener: Listener
  setFaults(faults: AuthorizationFaults): void
}

function createInterface(
  context: AuthorizationContext,
  { requests, listener, setFaults }: InterfaceOptions,
): TestAuthorizationServer {
  const { issuer, tokens, keys, dpop, lifetimes } = context
  return {
    issuer,
    get metadata() {
      return createMetadata(context)
    },
    get keys() {
      return keys.published
    },
    requests,
    requestsTo: (endpoint) => requests.filter((request) => request.endpoint === endpoint),
    setFaults,
    issue({ subject = 'user', clientId = 'client', scopes = [], resources = [], jkt, ttlMs, claims } = {}) {
      const grant = {
        subject,
        clientId,
        scope: scopes.join(' '),
        resources,
        family: randomId(),
        ...(jkt !== undefined && { jkt }),
      }
      return tokens.issueAccessToken(grant, withoutUndefined({ ttlMs, claims }))
    },
    sign(claims, header) {
      const issuedAt = nowSeconds(context)
      const exp = issuedAt + lifetimes.accessTokenTtlMs / 1000
      return keys.sign({ iss: issuer, iat: issuedAt, exp, ...claims }, header)
    },
    rotateKeys: keys.rotate,
    renewNonce: dpop.renewNonce,
    revoke: tokens.revoke,
    close: listener.close,
  }
}
