import { authenticate } from './client-auth.ts'
import { AuthError } from './errors.ts'
import { loadOAuth } from './oauth.ts'
import { type Answering, asAuthError, readAnswer } from './refusal.ts'
import type { ClientIdentity, Dpop, TokenContext, Tokens } from './types.ts'

/** The parameters of a token request; `resource` is added, and how the client proves itself. */
export interface TokenParameters {
  readonly grant_type: string
  readonly [name: string]: string
}

const NONCE_WANTED = new Set([400, 401])
const SENDABLE = /^[\x21-\x7e]+$/

/**
 * Asks a token endpoint for tokens. A request that lacks only a nonce for its proof is sent again with it; nothing else is.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#token-requests
 *
 * @throws AuthError `token_refused` with what the endpoint has said; what `fetch` throws.
 */
export async function requestTokens(
  context: TokenContext,
  client: ClientIdentity,
  { grant_type, ...given }: TokenParameters,
): Promise<Tokens> {
  const { resource, signal, dpop } = context
  const { oauth, server, options } = await loadOAuth(context)
  const answering: Answering = { fault: 'token_refused', who: `The token endpoint of ${server.issuer}` }
  const auth = await authenticate(client, server)
  const identity = { client_id: client.clientId }
  const send = async (): Promise<Response> => {
    const parameters = new URLSearchParams({ resource, ...given })
    const headers = await proofOf(context)
    return oauth.genericTokenEndpointRequest(server, identity, auth, grant_type, parameters, { ...options, headers })
  }
  try {
    const first = await send()
    const again = hearsNonce(first, context) && NONCE_WANTED.has(first.status)
    const response = again ? await send() : first
    if (again) hearsNonce(response, context)
    const { id_token: _, ...answer } = await readAnswer(response, answering)
    return toTokens(await oauth.processGenericTokenEndpointResponse(server, identity, Response.json(answer)), dpop)
  } catch (error) {
    signal.throwIfAborted()
    throw asAuthError(error, answering)
  }
}

async function proofOf({ dpop, server }: TokenContext): Promise<Record<string, string>> {
  const { token_endpoint: endpoint } = server
  if (!dpop || endpoint === undefined) return {}
  return { dpop: await dpop.proof({ method: 'POST', url: new URL(endpoint) }) }
}

/** Remembers the nonce for the next proof; tells whether it is a new one. */
function hearsNonce(response: Response, { dpop, server }: TokenContext): boolean {
  const nonce = response.headers.get('dpop-nonce') ?? undefined
  return dpop?.heard(new URL(server.token_endpoint ?? server.issuer), nonce) ?? false
}

interface Issued {
  readonly access_token: string
  readonly token_type: string
  readonly expires_in?: number
  readonly refresh_token?: string
  readonly scope?: string
}

function toTokens({ access_token, token_type, expires_in, refresh_token, scope }: Issued, dpop: Dpop | undefined): Tokens {
  if (!SENDABLE.test(access_token)) throw new AuthError('token_refused', 'The access token holds what no header can')
  if (token_type === 'dpop' && !dpop)
    throw new AuthError('token_refused', 'The access token is bound to a key, and there was none')
  return {
    accessToken: access_token,
    tokenType: token_type === 'dpop' ? 'dpop' : 'bearer',
    ...(expires_in !== undefined && { expiresAt: Date.now() + expires_in * 1000 }),
    ...(refresh_token !== undefined && { refreshToken: refresh_token }),
    ...(scope !== undefined && { scope }),
  }
}
