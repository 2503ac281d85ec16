import type { ClientAuth } from 'oauth4webapi'
import { withoutUndefined } from '../../../../../util/src/without-undefined.ts'
import type { JsonObject } from '../../../jsonrpc/message.ts'
import { readScopeMember, readSeconds, readText } from '../../members.ts'
import { AuthError } from '../errors.ts'
import type { AuthorizationServer, ClientIdentity, TokenContext, TokenSet } from '../types.ts'
import { createClientAuth, isNamedInHeader } from './client-authentication.ts'
import { loadOAuth } from './load-oauth.ts'
import { type EndpointInfo, readOAuthResponse, toAuthError } from './oauth-response.ts'

/** The grant type for assertions (RFC 7523). */
export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** The parameters of a token request, without the client's credentials. */
export interface TokenParameters {
  /** The grant type, such as `authorization_code` or a URN. */
  readonly grant_type: string
  readonly [name: string]: string
}

const NONCE_STATUSES: ReadonlySet<number> = new Set([400, 401])
/** Longer lifetimes are shortened, so that the expiry stays a valid time. */
const MAX_LIFETIME_S = 366 * 86_400
/** The characters that an `Authorization` header can contain. */
const HEADER_SAFE = /^[\x21-\x7e]+$/

/**
 * Requests tokens for the resource. `client` is undefined for grants that need no client id.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#token-requests
 *
 * @throws AuthError `token_refused` with the error response of the endpoint; whatever `fetch` throws.
 */
export async function requestTokens(
  context: TokenContext,
  client: ClientIdentity | undefined,
  parameters: TokenParameters,
): Promise<TokenSet> {
  const { resource } = context
  return readTokens(await sendTokenRequest(context, client, { resource, ...parameters }), context)
}

/**
 * Sends a request to a token endpoint and returns the response. Retries if the DPoP proof lacked a nonce, and if the server does not find the
 * client: some look for its id in the form only, and others refuse an id there next to a secret in the header.
 *
 * @throws AuthError `token_refused` with the error response of the endpoint; whatever `fetch` throws.
 */
export async function sendTokenRequest(
  context: Omit<TokenContext, 'resource'>,
  client: ClientIdentity | undefined,
  { grant_type, ...form }: TokenParameters,
): Promise<JsonObject> {
  const { oauth, server, options } = await loadOAuth(context)
  const send = async (auth: ClientAuth): Promise<SentTokenRequest> => {
    const proof = await createProof(context)
    const headers = proof === undefined ? {} : { dpop: proof }
    const parameters = new URLSearchParams(form)
    const response = oauth.genericTokenEndpointRequest(server, clientMetadata(client), auth, grant_type, parameters, {
      ...options,
      headers,
    })
    return { response: await response, proof }
  }
  const request = async (auth: ClientAuth): Promise<JsonObject> => {
    let sent = await send(auth)
    if (recordNonce(sent, context) && NONCE_STATUSES.has(sent.response.status)) {
      sent = await send(auth)
      recordNonce(sent, context)
    }
    return readOAuthResponse(sent.response, endpointInfo(server))
  }
  try {
    if (!client) return await request(() => {})
    const attempt = request(await createClientAuth(client, server))
    if (!isNamedInHeader(client, server)) return await attempt
    return await attempt.catch(async (error: unknown) => {
      if (!(error instanceof AuthError) || error.response?.error !== 'invalid_client') throw error
      return request(await createClientAuth(client, server, { namesClientTwice: true }))
    })
  } catch (error) {
    context.signal.throwIfAborted()
    throw toAuthError(error, endpointInfo(server))
  }
}

/** The response to a token request, and the DPoP proof of the request. */
interface SentTokenRequest {
  readonly response: Response
  readonly proof: string | undefined
}

const endpointInfo = ({ issuer }: AuthorizationServer): EndpointInfo => ({
  reason: 'token_refused',
  label: `The token endpoint of ${issuer}`,
})

/** The library requires a client id even if none is sent. */
const clientMetadata = (client: ClientIdentity | undefined): { client_id: string } => ({ client_id: client?.clientId ?? '-' })

type ProofContext = Pick<TokenContext, 'dpop' | 'server'>

async function createProof({ dpop, server }: ProofContext): Promise<string | undefined> {
  const { token_endpoint: endpoint } = server
  return endpoint === undefined ? undefined : dpop?.createProof({ method: 'POST', url: new URL(endpoint) })
}

/** Stores the nonce for the next proof. Returns whether this proof lacked it. */
function recordNonce({ response, proof }: SentTokenRequest, { dpop, server }: ProofContext): boolean {
  const url = new URL(server.token_endpoint ?? server.issuer)
  return dpop?.recordNonce({ url, nonce: response.headers.get('dpop-nonce') ?? undefined, proof }) ?? false
}

/**
 * Reads the members of a token response. Only the access token is needed: an optional member with a wrong value counts as absent, because the
 * server has spent the code or the refresh token already.
 *
 * @throws AuthError `token_refused`
 */
export function readTokens(body: JsonObject, { server, dpop }: Pick<TokenContext, 'server' | 'dpop'>): TokenSet {
  const info = endpointInfo(server)
  const accessToken = readText(body.access_token)
  if (accessToken === undefined) throw toAuthError('there is no access_token', info)
  if (!HEADER_SAFE.test(accessToken))
    throw new AuthError('token_refused', 'The access token contains characters that are invalid in a header')
  const tokenType = readTokenType(body.token_type, info)
  if (tokenType === 'dpop' && !dpop)
    throw new AuthError('token_refused', 'The access token is bound to a key, although DPoP was not requested')
  if (tokenType !== 'dpop' && dpop)
    throw new AuthError('token_refused', 'The access token is not bound to a key, although DPoP was requested')
  const lifetimeS = readSeconds(body.expires_in)
  const refreshToken = readText(body.refresh_token)
  const scope = readScopeMember(body.scope)
  return {
    accessToken,
    tokenType,
    ...(lifetimeS !== undefined && { expiresAt: Date.now() + Math.min(lifetimeS, MAX_LIFETIME_S) * 1000 }),
    ...withoutUndefined({ refreshToken, scope }),
  }
}

/** Tokens without a type are bearer tokens. Another type, such as `mac`, would need more than this client does (RFC 6749, section 7.1). */
function readTokenType(value: unknown, info: EndpointInfo): TokenSet['tokenType'] {
  const type = readText(value) ?? 'bearer'
  if (/^bearer\b/i.test(type)) return 'bearer'
  if (/^dpop$/i.test(type)) return 'dpop'
  throw toAuthError(`the token type ${type} is not supported`, info)
}
