/** Server authorization (OAuth): who may call a server, and where clients get tokens for it. @module */

export { insecureHttp } from '../auth/client/http/address-policy.ts'
export type { DpopVerifierOptions } from '../auth/server/dpop-verifier.ts'
export { InvalidTokenError, VerifierUnavailableError } from '../auth/server/errors.ts'
export type { IssuerFetchOptions } from '../auth/server/issuer-fetch.ts'
export { type ProtectedOptions, protect } from '../auth/server/protect.ts'
export type { ProtectOptions, VerifierInput } from '../auth/server/protection.ts'
export { insecureAnyAudience, type TokenAuth, type VerifiedToken, type Verifier } from '../auth/server/types.ts'
export { type ApiKey, apiKeys, createApiKey, type FindApiKey, hashApiKey } from '../auth/server/verifiers/api-keys.ts'
export { type IntrospectionOptions, introspection } from '../auth/server/verifiers/introspection.ts'
export { JWT_ALGORITHMS, type JwtOptions, jwt } from '../auth/server/verifiers/jwt.ts'
