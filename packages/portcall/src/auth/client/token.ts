import type { JsonObject } from '../../jsonrpc/message.ts'
import { authenticate } from './client-auth.ts'
import { AuthError } from './errors.ts'
import { loadOAuth } from './oauth.ts'
import { type Answering, asAuthError, readAnswer } from './refusal.ts'
import type { AuthorizationServer, ClientIdentity, Dpop, TokenContext, Tokens } from './types.ts'

/** The grant of a token for an assertion (RFC 7523). */
export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** The parameters of a token request; how the client proves itself is added. */
export interface TokenParameters {
  readonly grant_type: string
  readonly [name: string]: string
}

const NONCE_WANTED: ReadonlySet<number> = new Set([400, 401])
/** More than a year is as good as for ever. */
const LONGEST_S = 366 * 86_400
const SENDABLE = /^[\x21-\x7e]+$/

/**
 * Asks a token endpoint for tokens for the resource. A program that needs no client id has no client.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#token-requests
 *
 * @throws AuthError `token_refused` with what the endpoint has said; what `fetch` throws.
 */
export async function requestTokens(
  context: TokenContext,
  client: ClientIdentity | undefined,
  parameters: TokenParameters,
): Promise<Tokens> {
  const { resource, dpop } = context
  const { id_token: _, ...answer } = await askTokenEndpoint(context, client, { resource, ...parameters })
  const { oauth, server } = await loadOAuth(context)
  try {
    const issued = await oauth.processGenericTokenEndpointResponse(server, identityOf(client), Response.json(answer))
    return toTokens(issued, dpop)
  } catch (error) {
    throw asAuthError(error, answering(server))
  }
}

/**
 * Sends one request to a token endpoint, and gives what it has answered. A request that lacks only a nonce for its proof is sent again with
 * it; nothing else is.
 *
 * @throws AuthError `token_refused` with what the endpoint has said; what `fetch` throws.
 */
export async function askTokenEndpoint(
  context: Omit<TokenContext, 'resource'>,
  client: ClientIdentity | undefined,
  { grant_type, ...given }: TokenParameters,
): Promise<JsonObject> {
  const { oauth, server, options } = await loadOAuth(context)
  const auth = client ? await authenticate(client, server) : () => {}
  const send = async (): Promise<Sent> => {
    const proof = await proofOf(context)
    const headers = proof === undefined ? {} : { dpop: proof }
    const parameters = new URLSearchParams(given)
    const request = oauth.genericTokenEndpointRequest(server, identityOf(client), auth, grant_type, parameters, {
      ...options,
      headers,
    })
    return { response: await request, proof }
  }
  try {
    let sent = await send()
    if (lacksNonce(sent, context) && NONCE_WANTED.has(sent.response.status)) {
      sent = await send()
      lacksNonce(sent, context)
    }
    return await readAnswer(sent.response, answering(server))
  } catch (error) {
    context.signal.throwIfAborted()
    throw asAuthError(error, answering(server))
  }
}

interface Sent {
  readonly response: Response
  readonly proof: string | undefined
}

const answering = ({ issuer }: AuthorizationServer): Answering => ({
  fault: 'token_refused',
  who: `The token endpoint of ${issuer}`,
})

const identityOf = (client: ClientIdentity | undefined): { client_id: string } => ({ client_id: client?.clientId ?? '-' })

async function proofOf({ dpop, server }: ProofContext): Promise<string | undefined> {
  const { token_endpoint: endpoint } = server
  return endpoint === undefined ? undefined : dpop?.proof({ method: 'POST', url: new URL(endpoint) })
}

/** Remembers the nonce for the next proof; tells whether this one lacked it. */
function lacksNonce({ response, proof }: Sent, { dpop, server }: ProofContext): boolean {
  const url = new URL(server.token_endpoint ?? server.issuer)
  return dpop?.heard({ url, nonce: response.headers.get('dpop-nonce') ?? undefined, proof }) ?? false
}

type ProofContext = Pick<TokenContext, 'dpop' | 'server'>

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
  if (token_type !== 'dpop' && dpop) throw new AuthError('token_refused', 'The access token was to be bound to a key, and is not')
  return {
    accessToken: access_token,
    tokenType: token_type === 'dpop' ? 'dpop' : 'bearer',
    ...(expires_in !== undefined && { expiresAt: Date.now() + Math.min(expires_in, LONGEST_S) * 1000 }),
    ...(refresh_token !== undefined && { refreshToken: refresh_token }),
    ...(scope !== undefined && { scope }),
  }
}
