import type { AuthorizationFaults } from './oauth/faults.ts'
import { random } from './oauth/ground.ts'
import { createKeyRing } from './oauth/keys.ts'
import { type Listener, listen } from './oauth/listen.ts'
import { describe } from './oauth/metadata.ts'
import { type AuthorizationServerOptions, type KeySet, LIFETIMES } from './oauth/options.ts'
import { createRealm, type Realm } from './oauth/realm.ts'
import type { Endpoint, OAuthRequest } from './oauth/request.ts'
import { answerTo, routeOf } from './oauth/routes.ts'

/** What an access token that nobody asked for is to stand for. */
export interface TokenOptions {
  /** Default: `user`. */
  readonly subject?: string
  /** Default: `client`. */
  readonly clientId?: string
  readonly scope?: string
  readonly resources?: readonly string[]
  /** The thumbprint of the key that it is bound to. */
  readonly jkt?: string
  /** Seconds; negative: it has expired. Default: that of the server. */
  readonly lifetime?: number
  /** Laid over its claims; `undefined` takes one away. */
  readonly claims?: Readonly<Record<string, unknown>>
}

/** An authorization server for tests, and what it was asked. */
export interface TestAuthorizationServer {
  readonly issuer: string
  /** What it says of itself, faults and all. */
  readonly metadata: Readonly<Record<string, unknown>>
  /** The public keys that it serves. */
  readonly keys: KeySet
  /** All requests that it got, in order. */
  readonly requests: readonly OAuthRequest[]
  /** Those of one endpoint. */
  asked(endpoint: Endpoint): readonly OAuthRequest[]
  /** Takes the place of all faults: `set({})` mends everything. */
  set(faults: AuthorizationFaults): void
  /** Gives an access token to whoever holds the test. */
  issue(options?: TokenOptions): Promise<string>
  /** Signs claims as it signs its tokens; nothing is added but `iss`, `iat` and `exp`, and `undefined` takes away. */
  sign(claims: Readonly<Record<string, unknown>>, header?: Readonly<Record<string, unknown>>): Promise<string>
  /** Signs with a new key from now on. The old one is served on, unless it is to be forgotten. */
  rotateKeys(options?: { forget?: boolean }): Promise<void>
  /** Wants another nonce in proofs from now on. */
  renewNonce(): void
  /** Ends a token; with a refresh token, all that came from the same consent. */
  revoke(token: string): void
  close(): Promise<void>
}

/**
 * Starts an OAuth authorization server on this machine, for tests of clients and of protected servers: authorization code with PKCE, device,
 * client credentials, refresh, token exchange and assertions; registration and client id metadata documents; keys that can be changed; and
 * faults. It says yes to everything, unless `decide` is given. Everything it knows is in memory.
 *
 * @example
 * const login = await authorizationServer({ scopes: ['notes:read'] })
 * const token = await login.issue({ subject: 'ada', scope: 'notes:read', resources: ['http://127.0.0.1:3000/mcp'] })
 * await login.close()
 */
export async function authorizationServer(options: AuthorizationServerOptions = {}): Promise<TestAuthorizationServer> {
  let faults = options.faults ?? {}
  let realm: Realm | undefined
  const requests: OAuthRequest[] = []
  const { path = '', port = 0 } = options

  const listener = await listen(port, async (incoming) => {
    if (!realm) return { status: 503 }
    const route = routeOf(incoming, options)
    const request = { ...incoming, endpoint: route?.endpoint ?? ('none' as const), status: 0 }
    requests.push(request)
    const outgoing = await answerTo(request, route, realm)
    request.status = outgoing.status
    return outgoing
  })
  const issuer = `http://127.0.0.1:${listener.port}${path}`
  const ready = await prepare(options, issuer, () => faults)
  realm = ready
  return surface(ready, { requests, listener, setFaults: (next) => (faults = next) })
}

async function prepare(options: AuthorizationServerOptions, issuer: string, faults: () => AuthorizationFaults): Promise<Realm> {
  const jose = await import('jose')
  const { now = Date.now, algorithm = 'ES256', decide = () => ({ subject: 'user' }) } = options
  const keys = await createKeyRing(jose, algorithm)
  return createRealm({ jose, options, issuer, faults, now, keys, decide, lifetimes: { ...LIFETIMES, ...options.lifetimes } })
}

interface Inside {
  readonly requests: readonly OAuthRequest[]
  readonly listener: Listener
  setFaults(faults: AuthorizationFaults): void
}

function surface(realm: Realm, { requests, listener, setFaults }: Inside): TestAuthorizationServer {
  const { issuer, tokens, keys, proofs } = realm
  return {
    issuer,
    get metadata() {
      return describe(realm)
    },
    get keys() {
      return keys.published
    },
    requests,
    asked: (endpoint) => requests.filter((request) => request.endpoint === endpoint),
    set: setFaults,
    issue({ subject = 'user', clientId = 'client', scope = '', resources = [], jkt, lifetime, claims } = {}) {
      const granted = { subject, clientId, scope, resources, family: random(), ...(jkt !== undefined && { jkt }) }
      return tokens.access(granted, { ...(lifetime !== undefined && { lifetime }), ...(claims && { claims }) })
    },
    sign(claims, header) {
      const now = Math.floor(realm.now() / 1000)
      return keys.sign({ iss: issuer, iat: now, exp: now + realm.lifetimes.access, ...claims }, header)
    },
    rotateKeys: keys.rotate,
    renewNonce: proofs.renewNonce,
    revoke: tokens.revoke,
    close: listener.close,
  }
}
