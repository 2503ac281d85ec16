import { sha256 } from '../../../../util/src/digest.ts'
import { PortcallError } from '../../../../util/src/errors.ts'
import { withoutUndefined } from '../../../../util/src/without-undefined.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import type { AuthRequest } from '../client/types.ts'
import { readList, readSeconds, readText } from '../members.ts'
import { VerifierUnavailableError } from '../server/errors.ts'
import { createIssuerFetch, createIssuerNotification } from '../server/issuer-fetch.ts'
import type { OAuthProxyOptions, UpstreamTokens } from './options.ts'

/** Thrown if the identity provider rejects a code or a refresh token, so that the user has to sign in again. */
export class UpstreamRefusedError extends PortcallError {
  override readonly name = 'UpstreamRefusedError'
  readonly code = 'UPSTREAM_REFUSED'
}

/** The proxy as an OAuth client of the identity provider. */
export interface UpstreamClient {
  /** Returns the URL at which a user signs in. */
  authorizationUrl(state: string, verifier: string): Promise<URL>
  /** Exchanges an authorization code for tokens. @throws UpstreamRefusedError, VerifierUnavailableError */
  exchange(code: string, verifier: string): Promise<UpstreamTokens>
  /** Returns new tokens. What the response omits is taken over from the old ones. @throws UpstreamRefusedError, VerifierUnavailableError */
  refresh(tokens: UpstreamTokens): Promise<UpstreamTokens>
  /** Revokes tokens, if the identity provider supports that. @throws VerifierUnavailableError */
  revoke(tokens: UpstreamTokens): Promise<void>
}

/** The size of the proxy's secrets: tokens, codes, states and code verifiers. */
export const SECRET_BYTES = 32

export function createUpstream(options: OAuthProxyOptions, callbackUrl: string, now: () => number): UpstreamClient {
  const { authorizationEndpoint, tokenEndpoint, revocationEndpoint, clientId, scopes = [], parameters = {} } = options.upstream
  const issuerFetch = createIssuerFetch(tokenEndpoint, options)
  const sendRevocation = revocationEndpoint === undefined ? undefined : createIssuerNotification(revocationEndpoint, options)
  const client = clientAuthentication(options)
  const post = (form: Readonly<Record<string, string>>): AuthRequest => ({
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded', ...client.headers },
    body: new URLSearchParams({ ...form, ...client.form }),
  })

  const requestTokens = async (form: Readonly<Record<string, string>>): Promise<UpstreamTokens> => {
    const { status, json } = await issuerFetch(post(form))
    const accessToken = readText(json.access_token)
    if (status === 200 && accessToken !== undefined) return readTokens(accessToken, json, now())
    if (status === 200 || isRefusal(status, json))
      throw new UpstreamRefusedError('The identity provider refused the token request')
    throw new VerifierUnavailableError(`The identity provider responded with HTTP ${status}`)
  }
  return {
    async authorizationUrl(state, verifier) {
      const url = new URL(authorizationEndpoint)
      const query = {
        ...parameters,
        response_type: 'code',
        client_id: clientId,
        redirect_uri: callbackUrl,
        state,
        code_challenge: await sha256(verifier),
        code_challenge_method: 'S256',
        ...(scopes.length > 0 && { scope: scopes.join(' ') }),
      }
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
      return url
    },
    exchange: (code, verifier) =>
      requestTokens({ grant_type: 'authorization_code', code, redirect_uri: callbackUrl, code_verifier: verifier }),
    async refresh(tokens) {
      if (tokens.refreshToken === undefined) throw new UpstreamRefusedError('There is no refresh token')
      return { ...tokens, ...(await requestTokens({ grant_type: 'refresh_token', refresh_token: tokens.refreshToken })) }
    },
    async revoke({ refreshToken, accessToken }) {
      // To revoke a refresh token invalidates the access tokens of its grant too (RFC 7009, section 2.1).
      const [token, hint] = refreshToken === undefined ? [accessToken, 'access_token'] : [refreshToken, 'refresh_token']
      const status = await sendRevocation?.(post({ token, token_type_hint: hint }))
      if (status !== undefined && status !== 200)
        throw new VerifierUnavailableError(`The identity provider responded with HTTP ${status} to a revocation`)
    },
  }
}

/** Errors about the proxy itself, which no user can resolve by signing in again. */
const PROXY_ERRORS: readonly unknown[] = ['invalid_client', 'unauthorized_client']

/** Reports whether the identity provider refuses this code or refresh token. The class of the status decides, as for the sign-in client. */
function isRefusal(status: number, { error }: JsonObject): boolean {
  if (error === 'invalid_grant') return true
  return (status === 400 || status === 403) && !PROXY_ERRORS.includes(error)
}

function clientAuthentication({ upstream: { clientId, clientSecret, authentication = 'basic' } }: OAuthProxyOptions): {
  form: Record<string, string>
  headers: Record<string, string>
} {
  if (clientSecret === undefined) return { form: { client_id: clientId }, headers: {} }
  if (authentication === 'post') return { form: { client_id: clientId, client_secret: clientSecret }, headers: {} }
  const encoded = [clientId, clientSecret].map((text) => new URLSearchParams([['', text]]).toString().slice(1))
  return { form: {}, headers: { authorization: `Basic ${btoa(encoded.join(':'))}` } }
}

function readTokens(accessToken: string, json: JsonObject, now: number): UpstreamTokens {
  const [idToken, refreshToken] = [readText(json.id_token), readText(json.refresh_token)]
  const [seconds, scopes] = [readSeconds(json.expires_in), readList(json.scope)]
  return {
    accessToken,
    ...withoutUndefined({ idToken, refreshToken }),
    ...(seconds !== undefined && { expiresAt: now + seconds * 1000 }),
    ...(scopes && { scopes }),
  }
}
