/** Getting access tokens for protected servers: what `connect(url, { auth })` takes. */

export { insecureUnadvertisedPkce } from './auth/client/authorize.ts'
export { type TokenOptions, type TokenSource, token } from './auth/client/bearer.ts'
export { type BrowserOptions, browser, openInSystem } from './auth/client/browser.ts'
export { type Challenge, readChallenges } from './auth/client/challenge.ts'
export type { SignInOptions } from './auth/client/code-grant.ts'
export { type DeviceCode, type DeviceOptions, device } from './auth/client/device.ts'
export type { DpopOptions } from './auth/client/dpop-keys.ts'
export { type EnterpriseOptions, enterprise } from './auth/client/enterprise.ts'
export { AuthError, type AuthErrorOptions, type AuthFault, type OAuthRefusal } from './auth/client/errors.ts'
export type { IdentityProvider, SubjectToken } from './auth/client/exchange.ts'
export { fileStore } from './auth/client/file.ts'
export { createFlow, type FlowOptions } from './auth/client/flow.ts'
export { AUTH_LIMITS, type AuthLimits, createGuard, type Guard, type GuardOptions } from './auth/client/http/fetch.ts'
export { type Allowance, insecureHttp, insecurePrivateAddresses, type ReachOptions } from './auth/client/http/reach.ts'
export { type InteractiveOptions, interactive, type SignIn } from './auth/client/interactive.ts'
export { type ClientCredentialsOptions, clientCredentials } from './auth/client/machine.ts'
export type { ClientSources } from './auth/client/register.ts'
export type { RegisteredClient } from './auth/client/registered.ts'
export { requestTokens, type TokenParameters } from './auth/client/token.ts'
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
  NonceAnswer,
  ProofRequest,
  TokenContext,
  Tokens,
} from './auth/client/types.ts'
export { type WorkloadOptions, workload } from './auth/client/workload.ts'
export type {
  Authorizer,
  AuthProvider,
  SentRequest,
  SignedAnswer,
  SignedHeaders,
  SignedRequest,
} from './protocol/authorizer.ts'
