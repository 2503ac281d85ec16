import type { JsonObject } from '../../../jsonrpc/message.ts'
import { toBase64url } from '../../../stores/base64url.ts'
import { sha256 } from '../digest.ts'
import { VerifierUnavailable } from '../errors.ts'
import { createOutside } from '../outside.ts'
import type { OAuthProxyOptions, UpstreamTokens } from './options.ts'

/** The identity provider has refused what it was shown: the user has to sign in again. */
export class UpstreamRefused extends Error {
  override readonly name = 'UpstreamRefused'
}

/** What is said to the identity provider. */
export interface UpstreamClient {
  /** The address where a user signs in. */
  authorizationUrl(state: string, verifier: string): Promise<URL>
  /** @throws UpstreamRefused, VerifierUnavailable */
  exchange(code: string, verifier: string): Promise<UpstreamTokens>
  /** Gets new tokens; what it does not give anew stays. @throws UpstreamRefused, VerifierUnavailable */
  refresh(tokens: UpstreamTokens): Promise<UpstreamTokens>
}

/** Makes a secret that cannot be guessed. */
export function random(bytes = 32): string {
  return toBase64url(crypto.getRandomValues(new Uint8Array(bytes)))
}

/** Makes the client that this server is at its identity provider. */
export function createUpstream(options: OAuthProxyOptions, callback: string, now: () => number): UpstreamClient {
  const { authorizationEndpoint, tokenEndpoint, clientId, scopes = [], parameters = {} } = options.upstream
  const outside = createOutside(tokenEndpoint, options)
  const own = clientAuthentication(options)

  const ask = async (form: Readonly<Record<string, string>>): Promise<UpstreamTokens> => {
    const body = new URLSearchParams({ ...form, ...own.form })
    const headers = { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded', ...own.headers }
    const { status, json } = await outside({ method: 'POST', headers, body })
    if (status === 200 && typeof json.access_token === 'string') return readTokens(json, now())
    if (status === 200 || json.error === 'invalid_grant') throw new UpstreamRefused('The identity provider has refused')
    throw new VerifierUnavailable(`The identity provider answers with ${status}`)
  }
  return {
    async authorizationUrl(state, verifier) {
      const url = new URL(authorizationEndpoint)
      const asked = {
        ...parameters,
        response_type: 'code',
        client_id: clientId,
        redirect_uri: callback,
        state,
        code_challenge: await sha256(verifier),
        code_challenge_method: 'S256',
        ...(scopes.length > 0 && { scope: scopes.join(' ') }),
      }
      for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value)
      return url
    },
    exchange: (code, verifier) =>
      ask({ grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier }),
    async refresh(tokens) {
      if (tokens.refreshToken === undefined) throw new UpstreamRefused('There is no refresh token')
      return { ...tokens, ...(await ask({ grant_type: 'refresh_token', refresh_token: tokens.refreshToken })) }
    },
  }
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

function readTokens(json: JsonObject, time: number): UpstreamTokens {
  const { access_token: accessToken, id_token: idToken, refresh_token: refreshToken, expires_in: seconds, scope } = json
  return {
    accessToken: String(accessToken),
    ...(typeof idToken === 'string' && { idToken }),
    ...(typeof refreshToken === 'string' && { refreshToken }),
    ...(typeof seconds === 'number' && { expiresAt: time + seconds * 1000 }),
    ...(typeof scope === 'string' && { scope }),
  }
}
