import { AuthError } from './errors.ts'
import { loadOAuth } from './oauth.ts'
import { clean } from './refusal.ts'
import { requestTokens } from './token.ts'
import type { AuthorizationServer, ClientIdentity, GrantContext, Tokens } from './types.ts'

/** Signs in where the authorization server does not say that it supports PKCE: whoever sees the code on its way may then use it. */
export const insecureUnadvertisedPkce: unique symbol = Symbol('insecureUnadvertisedPkce')

/** One attempt to sign in. All of it is new for each. */
export interface Attempt {
  /** Where the user's browser has to go. */
  readonly url: URL
  /** Comes back in the response that belongs to it. */
  readonly state: string
  /** Checks the response, and gets the tokens. @throws AuthError. */
  finish(response: URLSearchParams): Promise<Tokens>
}

/** Who signs in, and how. */
export interface AttemptOptions {
  readonly client: ClientIdentity
  readonly redirectUri: string
  readonly pkce?: typeof insecureUnadvertisedPkce | undefined
}

/**
 * Begins to sign in: with a state and a PKCE challenge of its own, which are remembered together with the issuer that was checked.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#authorization-flow-steps
 *
 * @throws AuthError `pkce_unsupported`, `discovery_failed`, `address_refused`.
 */
export async function beginAttempt(context: GrantContext, { client, redirectUri, pkce }: AttemptOptions): Promise<Attempt> {
  const { server, resource, scope } = context
  checkPkce(server, pkce)
  const { oauth } = await loadOAuth(context)
  const state = oauth.generateRandomState()
  const verifier = oauth.generateRandomCodeVerifier()
  const url = endpointOf(context)
  const parameters = {
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: redirectUri,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    resource,
    ...(scope !== undefined && { scope }),
    ...(asksForConsent(scope) && { prompt: 'consent' }),
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)

  return {
    url,
    state,
    async finish(response) {
      const code = await readCode(response, context, state)
      return requestTokens(context, client, {
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        code_verifier: verifier,
      })
    },
  }
}

/** OpenID Connect gives offline access only to whom it has shown the page of consent (Core section 11). */
function asksForConsent(scope: string | undefined): boolean {
  return scope?.split(' ').includes('offline_access') ?? false
}

function checkPkce(server: AuthorizationServer, pkce: AttemptOptions['pkce']): void {
  if (pkce === insecureUnadvertisedPkce || server.code_challenge_methods_supported?.includes('S256')) return
  throw new AuthError('pkce_unsupported', `${server.issuer} does not say that it supports PKCE with S256`)
}

function endpointOf({ server, openable }: GrantContext): URL {
  const { authorization_endpoint: endpoint, issuer } = server
  if (endpoint === undefined) throw new AuthError('discovery_failed', `${issuer} has no authorization endpoint`)
  return openable(endpoint)
}

/**
 * Takes the code out of an authorization response. Whose response it is, is checked before anything else in it is looked at.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#authorization-response-validation
 */
async function readCode(response: URLSearchParams, context: GrantContext, state: string): Promise<string> {
  const { oauth, server } = await loadOAuth(context)
  checkIssuer(response, server)
  try {
    const [code, second] = oauth.validateAuthResponse(server, { client_id: '-' }, response, state).getAll('code')
    if (code && second === undefined) return code
  } catch (error) {
    if (error instanceof oauth.AuthorizationResponseError) throw denied(error.error, error.error_description)
    throw new AuthError('state_mismatch', 'The authorization response belongs to no attempt of this client')
  }
  throw new AuthError('denied', 'The authorization response does not hold one code')
}

function checkIssuer(response: URLSearchParams, server: AuthorizationServer): void {
  const issuers = response.getAll('iss')
  if (issuers.length === 0 && !server.authorization_response_iss_parameter_supported) return
  if (issuers.length === 1 && issuers[0] === server.issuer) return
  throw new AuthError('issuer_mismatch', `The authorization response does not come from ${server.issuer}`)
}

function denied(error: string, description: string | undefined): AuthError {
  const refusal = { error: clean(error), ...(description !== undefined && { description: clean(description) }) }
  return new AuthError('denied', `Signing in was refused: ${refusal.error}`, { refusal })
}
