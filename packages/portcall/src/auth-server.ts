/** Protecting a server: who may call it, and how clients find out where to get a token. */
import { createProtection, type ProtectOptions } from './auth/server/protection.ts'
import { refuse } from './transports/http/http-error.ts'
import type { HttpOptions } from './transports/http/options.ts'

export { insecureHttp } from './auth/client/http/reach.ts'
export { type ApiKey, apiKeys, createApiKey, type FindApiKey, hashApiKey } from './auth/server/api-keys.ts'
export type { DpopOptions } from './auth/server/dpop.ts'
export { TokenRefused, VerifierUnavailable } from './auth/server/errors.ts'
export { type IntrospectionOptions, introspection } from './auth/server/introspection.ts'
export { JWT_ALGORITHMS, type JwtOptions, jwt } from './auth/server/jwt.ts'
export type { OutsideOptions } from './auth/server/outside.ts'
export type { ProtectOptions, Verify } from './auth/server/protection.ts'
export type { Identity, OAuthProxyOptions, ProxyLifetimes, Upstream, UpstreamTokens } from './auth/server/proxy/options.ts'
export { type OAuthProxy, oauthProxy } from './auth/server/proxy/proxy.ts'
export {
  insecureAnyAudience,
  type Page,
  type ResourceRequest,
  type Token,
  type TokenAuth,
  type Verifier,
} from './auth/server/types.ts'

/** What makes an HTTP endpoint protected: spread it into the options of `serve`, `nodeHandler` or `httpHandler`. */
export type Protected = Required<Pick<HttpOptions, 'authenticate' | 'beside' | 'challenge' | 'path'>> & {
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins?: readonly string[]
}

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/**
 * Protects a server: each request needs an access token that was issued for it. Clients that have none are told where to get one, and those
 * whose token lacks scopes, which ones are needed. The endpoint is at the path of `resource`, and is reached by its host or by a loopback name.
 *
 * @throws TypeError for options that could not protect it.
 *
 * @example
 * await serve(server, protect({
 *   resource: 'https://api.example.com/mcp',
 *   authorizationServers: ['https://login.example.com'],
 *   verify: jwt({ issuer: 'https://login.example.com', jwksUri: 'https://login.example.com/jwks.json' }),
 * }))
 */
export function protect(options: ProtectOptions): Protected {
  const { resource, authenticate, beside, challenge } = createProtection(options)
  return {
    path: resource.path,
    allowedHosts: [resource.host, ...LOOPBACK],
    ...(options.allowedOrigins && { allowedOrigins: [resource.origin, ...options.allowedOrigins] }),
    async authenticate(request) {
      const outcome = await authenticate(request)
      if ('principal' in outcome) return outcome
      throw refuse(outcome.status, outcome.message, outcome.headers)
    },
    beside,
    challenge,
  }
}
