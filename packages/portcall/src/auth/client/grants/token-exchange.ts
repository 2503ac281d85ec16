import { fetchServerMetadata } from '../discovery/server-metadata.ts'
import { AuthError } from '../errors.ts'
import { sendTokenRequest } from '../oauth/token-endpoint.ts'
import type { AuthFetch, AuthorizationServer, ClientIdentity } from '../types.ts'

/** A token of the identity provider that identifies the user. */
export interface SubjectToken {
  /** The token, as the identity provider issued it. */
  readonly token: string
  /** Use `refresh_token` for users who signed in with SAML. */
  readonly type: 'id_token' | 'refresh_token' | 'saml2'
}

/** The identity provider of an enterprise. */
export interface IdentityProvider {
  /** The issuer identifier, a URL. */
  readonly issuer: string
  /** The URL that issues tokens. Default: that of the issuer's metadata. */
  readonly tokenEndpoint?: string
  /** The client as registered with the identity provider. */
  readonly client: ClientIdentity
}

export interface AssertionRequest {
  /** The issuer of the authorization server that the assertion is for. */
  readonly audience: string
  readonly resource: string
  readonly scope: string | undefined
}

export interface TokenExchangeContext {
  readonly identityProvider: IdentityProvider
  readonly fetch: AuthFetch
  readonly signal: AbortSignal
}

const TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:'
const ID_JAG = `${TOKEN_TYPE}id-jag`
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'

/**
 * Exchanges a token that identifies a user for an identity assertion authorization grant (ID-JAG), which one authorization server accepts.
 * https://www.rfc-editor.org/rfc/rfc8693#section-2
 *
 * @throws AuthError `token_refused`, `discovery_failed`; whatever `fetch` throws.
 */
export async function requestIdentityAssertion(
  subject: string | SubjectToken,
  { scope, ...request }: AssertionRequest,
  context: TokenExchangeContext,
): Promise<string> {
  const { token, type }: SubjectToken = typeof subject === 'string' ? { token: subject, type: 'id_token' } : subject
  const { client } = context.identityProvider
  const server = await resolveProvider(context)
  const response = await sendTokenRequest({ ...context, server, dpop: undefined }, client, {
    grant_type: TOKEN_EXCHANGE,
    requested_token_type: ID_JAG,
    subject_token: token,
    subject_token_type: TOKEN_TYPE + type,
    ...request,
    ...(scope !== undefined && { scope }),
  })
  const { access_token: assertion, issued_token_type: issuedType } = response
  if (typeof assertion === 'string' && issuedType === ID_JAG) return assertion
  throw new AuthError('token_refused', `${server.issuer} issued no identity assertion for ${request.audience}`)
}

async function resolveProvider({ identityProvider, ...options }: TokenExchangeContext): Promise<AuthorizationServer> {
  const { issuer, tokenEndpoint } = identityProvider
  return tokenEndpoint === undefined ? fetchServerMetadata(issuer, options) : { issuer, token_endpoint: tokenEndpoint }
}
