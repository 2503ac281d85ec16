import { need, Refusal } from './request.ts'
import { narrow } from './target.ts'
import { type GrantHandler, respond } from './token-response.ts'

/** Redeems a code ([RFC 6749 §4.1.3](https://www.rfc-editor.org/rfc/rfc6749#section-4.1.3)) of whoever knows the verifier; one that comes twice ends what it gave. */
export const redeemCode: GrantHandler = async (grant) => {
  const { request, realm, client, jkt } = grant
  const code = realm.codes.get(need(request, 'code'))
  if (code?.used) realm.tokens.endFamily(code.granted.family)
  if (!code || code.used || code.expires < realm.now()) throw new Refusal('invalid_grant', 'The code is not good any more')
  if (code.granted.clientId !== client.client_id) throw new Refusal('invalid_grant', 'The code is that of another client')
  if (code.redirectUri !== need(request, 'redirect_uri')) throw new Refusal('invalid_grant', 'redirect_uri is another one')
  if ((await challengeOf(need(request, 'code_verifier'))) !== code.challenge)
    throw new Refusal('invalid_grant', 'The verifier does not fit')
  if (code.granted.jkt !== undefined && code.granted.jkt !== jkt)
    throw new Refusal('invalid_dpop_proof', 'The key is another one')
  code.used = true
  return respond(grant, { ...code.granted, ...narrow(request, code.granted, realm) }, { refreshes: true })
}

/** The challenge of a verifier ([RFC 7636 §4.2](https://www.rfc-editor.org/rfc/rfc7636#section-4.2)). */
async function challengeOf(verifier: string): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier)))
  return btoa(String.fromCharCode(...hash))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
