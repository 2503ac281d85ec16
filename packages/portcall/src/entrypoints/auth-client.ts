/** Client authorization (OAuth): providers of access tokens for protected servers, to pass to `connect(url, { auth })`. @module */

export { type AuthProviderOptions, createAuthProvider, type OAuthProvider } from '../auth/client/auth-provider.ts'
export { type Challenge, readChallenges } from '../auth/client/discovery/challenge.ts'
export type { DpopOptions } from '../auth/client/dpop/keys.ts'
export { AuthError, type AuthErrorOptions, type AuthErrorReason, type OAuthErrorResponse } from '../auth/client/errors.ts'
export { insecureUnadvertisedPkce } from '../auth/client/grants/authorization-attempt.ts'
export {
  type AuthorizationCodeOptions,
  type AuthorizationCodeProvider,
  authorizationCode,
  type SignInRequest,
} from '../auth/client/grants/authorization-code.ts'
export { type BearerTokenOptions, bearerToken, type TokenSource } from '../auth/client/grants/bearer-token.ts'
export { type BrowserSignInOptions, browserSignIn, openBrowser } from '../auth/client/grants/browser-sign-in.ts'
export { type ClientCredentialsOptions, clientCredentials } from '../auth/client/grants/client-credentials.ts'
export type { SignInOptions } from '../auth/client/grants/code-grant.ts'
export { type DeviceAuthorization, type DeviceCodeOptions, deviceCode } from '../auth/client/grants/device-code.ts'
export { type EnterpriseManagedOptions, enterpriseManaged } from '../auth/client/grants/enterprise-managed.ts'
export type { IdentityProvider, SubjectToken } from '../auth/client/grants/token-exchange.ts'
export { type WorkloadIdentityOptions, workloadIdentity } from '../auth/client/grants/workload-identity.ts'
export {
  type AddressPolicyOptions,
  type AllowedAddress,
  insecureHttp,
  insecurePrivateAddresses,
} from '../auth/client/http/address-policy.ts'
export {
  AUTH_LIMITS,
  type AuthLimits,
  createSafeFetch,
  type SafeFetch,
  type SafeFetchOptions,
} from '../auth/client/http/safe-fetch.ts'
export { fileStore } from '../auth/client/lazy-file-store.ts'
export { requestTokens, type TokenParameters } from '../auth/client/oauth/token-endpoint.ts'
export type { PreRegisteredClient } from '../auth/client/registration/pre-registered.ts'
export type { ClientSources } from '../auth/client/registration/registration-request.ts'
export type { SignOutResult } from '../auth/client/tokens/sign-out.ts'
export type {
  AuthFetch,
  AuthorizationServer,
  AuthRequest,
  ClientAuthMethod,
  ClientIdentity,
  ClientKey,
  DpopSigner,
  GrantContext,
  GrantType,
  NonceResponse,
  ProofRequest,
  TokenContext,
  TokenSet,
} from '../auth/client/types.ts'
export type {
  AuthorizedHeaders,
  AuthorizedRequest,
  AuthorizedResponse,
  AuthorizedSend,
  Authorizer,
  AuthProvider,
} from '../protocol/authorizer.ts'
