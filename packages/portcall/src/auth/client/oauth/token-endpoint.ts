import type { JsonObject } from '../../../jsonrpc/message.ts'
import { AuthError } from '../errors.ts'
import type { AuthorizationServer, ClientIdentity, DpopSigner, TokenContext, TokenSet } from '../types.ts'
import { createClientAuth } from './client-authentication.ts'
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
  const { resource, dpop } = context
  const { id_token: _, ...body } = await sendTokenRequest(context, client, { resource, ...parameters })
  const { oauth, server } = await loadOAuth(context)
  try {
    const response = await oauth.processGenericTokenEndpointResponse(server, clientMetadata(client), Response.json(body))
    return toTokenSet(response, dpop)
  } catch (error) {
    throw toAuthError(error, endpointInfo(server))
  }
}

/**
 * Sends a request to a token endpoint and returns the response. Retries once if the DPoP proof lacked a nonce, and not for any other reason.
 *
 * @throws AuthError `token_refused` with the error response of the endpoint; whatever `fetch` throws.
 */
export async function sendTokenRequest(
  context: Omit<TokenContext, 'resource'>,
  client: ClientIdentity | undefined,
  { grant_type, ...form }: TokenParameters,
): Promise<JsonObject> {
  const { oauth, server, options } = await loadOAuth(context)
  const auth = client ? await createClientAuth(client, server) : () => {}
  const send = async (): Promise<SentTokenRequest> => {
    const proof = await createProof(context)
    const headers = proof === undefined ? {} : { dpop: proof }
    const parameters = new URLSearchParams(form)
    const response = oauth.genericTokenEndpointRequest(server, clientMetadata(client), auth, grant_type, parameters, {
      ...options,
      headers,
    })
    return { response: await response, proof }
  }
  try {
    let sent = await send()
    if (recordNonce(sent, context) && NONCE_STATUSES.has(sent.response.status)) {
      sent = await send()
      recordNonce(sent, context)
    }
    return await readOAuthResponse(sent.response, endpointInfo(server))
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

interface TokenResponse {
  readonly access_token: string
  readonly token_type: string
  readonly expires_in?: number
  readonly refresh_token?: string
  readonly scope?: string
}

function toTokenSet(response: TokenResponse, dpop: DpopSigner | undefined): TokenSet {
  const { access_token, token_type, expires_in, refresh_token, scope } = response
  if (!HEADER_SAFE.test(access_token))
    throw new AuthError('token_refused', 'The access token contains characters that are invalid in a header')
  if (token_type === 'dpop' && !dpop)
    throw new AuthError('token_refused', 'The access token is bound to a key, although DPoP was not requested')
  if (token_type !== 'dpop' && dpop)
    throw new AuthError('token_refused', 'The access token is not bound to a key, although DPoP was requested')
  return {
    accessToken: access_token,
    tokenType: token_type === 'dpop' ? 'dpop' : 'bearer',
    ...(expires_in !== undefined && { expiresAt: Date.now() + Math.min(expires_in, MAX_LIFETIME_S) * 1000 }),
    ...(refresh_token !== undefined && { refreshToken: refresh_token }),
    ...(scope !== undefined && { scope }),
  }
}
