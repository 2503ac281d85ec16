import { LOOPBACK_NAMES } from '../../../../util/src/loopback-host.ts'
import { httpError } from '../../transports/http/server/http-error.ts'
import type { HttpOptions } from '../../transports/http/server/options.ts'
import { createProtection, type ProtectOptions } from './protection.ts'

/** The options that make an HTTP endpoint protected. Spread them into the options of `serve`, `nodeHandler` or `httpHandler`. */
export type ProtectedOptions = Required<
  Pick<HttpOptions, 'authenticate' | 'onRequest' | 'insufficientScopeHeaders' | 'path' | 'publicUrl'>
> & {
  /** The host of the resource, and the loopback names. */
  readonly allowedHosts: readonly string[]
  /** The origin of the resource, and the origins that were passed to `protect`. */
  readonly allowedOrigins?: readonly string[]
}

/**
 * Protects a server: each request needs an access token that was issued for it. A client without a token learns where to get one, and a client
 * whose token lacks scopes learns which ones the request needs. The endpoint is at the path of `resource`, and accepts requests to the host of
 * `resource` and to loopback names.
 *
 * @throws TypeError for invalid URLs or scopes.
 *
 * @example
 * await serve(server, protect({
 *   resource: 'https://api.example.com/mcp',
 *   authorizationServers: ['https://login.example.com'],
 *   verify: jwt({ issuer: 'https://login.example.com', jwksUri: 'https://login.example.com/jwks.json' }),
 * }))
 */
export function protect(options: ProtectOptions): ProtectedOptions {
  const { resource, authenticate, onRequest, insufficientScopeHeaders } = createProtection(options)
  return {
    path: resource.path,
    publicUrl: resource.uri,
    allowedHosts: [resource.host, ...LOOPBACK_NAMES],
    ...(options.allowedOrigins && { allowedOrigins: [resource.origin, ...options.allowedOrigins] }),
    async authenticate(request) {
      const outcome = await authenticate(request)
      if ('principal' in outcome) return outcome
      throw httpError(outcome.status, outcome.message, outcome.headers)
    },
    onRequest,
    insufficientScopeHeaders,
  }
}
