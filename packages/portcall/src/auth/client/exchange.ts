import { AuthError } from './errors.ts'
import { readMetadata } from './metadata.ts'
import { askTokenEndpoint } from './token.ts'
import type { AuthFetch, AuthorizationServer, ClientIdentity } from './types.ts'

/** What says who the user is: what signing in at the identity provider has brought. */
export interface SubjectToken {
  readonly token: string
  /** What it is; `refresh_token` is for who has signed in by SAML. */
  readonly type: 'id_token' | 'refresh_token' | 'saml2'
}

/** Where the users of an enterprise sign in. */
export interface IdentityProvider {
  readonly issuer: string
  /** Default: what the metadata of the issuer says. */
  readonly tokenEndpoint?: string
  /** This client, as the identity provider knows it. */
  readonly client: ClientIdentity
}

/** What the assertion is for. */
export interface WantedAssertion {
  /** The issuer of the authorization server that is to take it. */
  readonly audience: string
  readonly resource: string
  readonly scope: string | undefined
}

/** Whom to ask. */
export interface ExchangeContext {
  readonly identityProvider: IdentityProvider
  readonly fetch: AuthFetch
  readonly signal: AbortSignal
}

const TYPE = 'urn:ietf:params:oauth:token-type:'
const ID_JAG = `${TYPE}id-jag`
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'

/**
 * Exchanges what says who a user is for an identity assertion authorization grant (ID-JAG), which one authorization server takes.
 * https://www.rfc-editor.org/rfc/rfc8693#section-2
 *
 * @throws AuthError `token_refused`, `discovery_failed`; what `fetch` throws.
 */
export async function exchangeSubject(
  subject: string | SubjectToken,
  { scope, ...wanted }: WantedAssertion,
  context: ExchangeContext,
): Promise<string> {
  const { token, type }: SubjectToken = typeof subject === 'string' ? { token: subject, type: 'id_token' } : subject
  const { client } = context.identityProvider
  const server = await findProvider(context)
  const answer = await askTokenEndpoint({ ...context, server, dpop: undefined }, client, {
    grant_type: TOKEN_EXCHANGE,
    requested_token_type: ID_JAG,
    subject_token: token,
    subject_token_type: TYPE + type,
    ...wanted,
    ...(scope !== undefined && { scope }),
  })
  const { access_token: assertion, issued_token_type: issued } = answer
  if (typeof assertion === 'string' && issued === ID_JAG) return assertion
  throw new AuthError('token_refused', `${server.issuer} has issued something else than an assertion for ${wanted.audience}`)
}

async function findProvider({ identityProvider, ...reading }: ExchangeContext): Promise<AuthorizationServer> {
  const { issuer, tokenEndpoint } = identityProvider
  return tokenEndpoint === undefined ? readMetadata(issuer, reading) : { issuer, token_endpoint: tokenEndpoint }
}
