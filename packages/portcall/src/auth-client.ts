/** Getting access tokens for protected servers: what `connect(url, { auth })` takes. */

export { type TokenSource, token } from './auth/client/bearer.ts'
export { AuthError, type AuthErrorOptions, type AuthFault, type OAuthRefusal } from './auth/client/errors.ts'
export { AUTH_LIMITS, type AuthLimits, createGuard, type Guard, type GuardOptions } from './auth/client/http/fetch.ts'
export { type Allowance, insecureHttp, insecurePrivateAddresses, type ReachOptions } from './auth/client/http/reach.ts'
export type {
  AuthFetch,
  AuthorizationServer,
  AuthRequest,
  ClientAuthMethod,
  ClientIdentity,
  ClientKey,
  Dpop,
  Grant,
  GrantContext,
  ProofRequest,
  Tokens,
} from './auth/client/types.ts'
export type {
  Authorizer,
  AuthProvider,
  SentRequest,
  SignedAnswer,
  SignedHeaders,
  SignedRequest,
} from './protocol/authorizer.ts'
