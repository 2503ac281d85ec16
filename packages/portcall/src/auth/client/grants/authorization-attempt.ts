import { AuthError } from '../errors.ts'
import { loadOAuth } from '../oauth/load-oauth.ts'
import { describeOAuthError, sanitizeError } from '../oauth/oauth-response.ts'
import { requestTokens } from '../oauth/token-endpoint.ts'
import type { AuthorizationServer, ClientIdentity, GrantContext, TokenSet } from '../types.ts'

/** Allows authorization servers that do not advertise PKCE. If they do not support it, an intercepted authorization code can be redeemed. */
export const insecureUnadvertisedPkce: unique symbol = Symbol('insecureUnadvertisedPkce')

/** The values that an authorization response is checked against, and redeemed with. */
export interface RedemptionInfo {
  /** The `state` parameter, which the response has to repeat. */
  readonly state: string
  /** The PKCE code verifier. */
  readonly verifier: string
  readonly redirectUri: string
  readonly client: ClientIdentity
}

/** One attempt to sign in, with a `state` and a PKCE verifier of its own. */
export interface AuthorizationAttempt extends RedemptionInfo {
  /** The URL to open in the user's browser. */
  readonly url: URL
  /** Checks the authorization response and exchanges its code for tokens. @throws AuthError. */
  redeem(response: URLSearchParams): Promise<TokenSet>
}

export interface AuthorizationAttemptOptions {
  readonly client: ClientIdentity
  readonly redirectUri: string
  readonly pkce?: typeof insecureUnadvertisedPkce | undefined
}

/**
 * Creates an authorization request with a new state and PKCE challenge, bound to the verified issuer.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#authorization-flow-steps
 *
 * @throws AuthError `pkce_unsupported`, `discovery_failed`, `address_refused`.
 */
export async function createAuthorizationAttempt(
  context: GrantContext,
  { client, redirectUri, pkce }: AuthorizationAttemptOptions,
): Promise<AuthorizationAttempt> {
  const { server, resource, scope } = context
  checkPkceSupport(server, pkce)
  const { oauth } = await loadOAuth(context)
  const state = oauth.generateRandomState()
  const verifier = oauth.generateRandomCodeVerifier()
  const url = authorizationEndpoint(context)
  const parameters = {
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: redirectUri,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    resource,
    ...(scope !== undefined && { scope }),
    ...(needsConsentPrompt(scope) && { prompt: 'consent' }),
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)

  const info: RedemptionInfo = { state, verifier, redirectUri, client }
  return { ...info, url, redeem: (response) => redeemResponse(response, info, context) }
}

/** Checks an authorization response and exchanges its code for tokens. @throws AuthError. */
export async function redeemResponse(
  response: URLSearchParams,
  { state, verifier, redirectUri, client }: RedemptionInfo,
  context: GrantContext,
): Promise<TokenSet> {
  const code = await validateResponse(response, context, state)
  return requestTokens(context, client, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  })
}

/** OpenID Connect grants offline access only with `prompt=consent` (OpenID Connect Core, section 11). */
function needsConsentPrompt(scope: string | undefined): boolean {
  return scope?.split(' ').includes('offline_access') ?? false
}

function checkPkceSupport(server: AuthorizationServer, pkce: AuthorizationAttemptOptions['pkce']): void {
  if (pkce === insecureUnadvertisedPkce || server.code_challenge_methods_supported?.includes('S256')) return
  throw new AuthError('pkce_unsupported', `${server.issuer} does not advertise PKCE with S256`)
}

function authorizationEndpoint({ server, checkBrowserUrl }: GrantContext): URL {
  const { authorization_endpoint: endpoint, issuer } = server
  if (endpoint === undefined) throw new AuthError('discovery_failed', `${issuer} has no authorization endpoint`)
  return checkBrowserUrl(endpoint)
}

/**
 * Validates an authorization response and returns its code. The issuer is checked before anything else in the response is read.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#authorization-response-validation
 */
async function validateResponse(response: URLSearchParams, context: GrantContext, state: string): Promise<string> {
  const { oauth, server } = await loadOAuth(context)
  checkIssuer(response, server)
  try {
    const [code, second] = oauth.validateAuthResponse(server, { client_id: '-' }, response, state).getAll('code')
    if (code && second === undefined) return code
  } catch (error) {
    if (error instanceof oauth.AuthorizationResponseError) throw deniedError(error.error, error.error_description)
    throw new AuthError('state_mismatch', 'The authorization response does not belong to this sign-in attempt')
  }
  throw new AuthError('denied', 'The authorization response does not contain exactly one code')
}

function checkIssuer(response: URLSearchParams, server: AuthorizationServer): void {
  const issuers = response.getAll('iss')
  if (issuers.length === 0 && !server.authorization_response_iss_parameter_supported) return
  if (issuers.length === 1 && issuers[0] === server.issuer) return
  throw new AuthError('issuer_mismatch', `The authorization response does not come from ${server.issuer}`)
}

function deniedError(error: string, description: string | undefined): AuthError {
  const response = sanitizeError(error, description)
  return new AuthError('denied', `The authorization server denied the request: ${describeOAuthError(response)}`, { response })
}
