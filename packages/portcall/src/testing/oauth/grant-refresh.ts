import { need, Refusal } from './request.ts'
import { narrow } from './target.ts'
import { type GrantHandler, respond } from './token-response.ts'

/** Refreshes ([RFC 6749 §6](https://www.rfc-editor.org/rfc/rfc6749#section-6)); the tokens of public clients that are bound to a key need it again. */
export const redeemRefresh: GrantHandler = async (grant) => {
  const { request, realm, client, jkt } = grant
  const old = need(request, 'refresh_token')
  const known = realm.tokens.find(old)
  if (known && known.granted.clientId !== client.client_id)
    throw new Refusal('invalid_grant', 'The token is that of another client')
  if (known?.granted.jkt !== undefined && known.granted.jkt !== jkt)
    throw new Refusal('invalid_dpop_proof', 'The key is another one')
  const narrowed = known && narrow(request, known.granted, realm)
  const granted = realm.tokens.use(old)
  const isKept = realm.options.rotation === false
  const response = await respond(grant, { ...granted, ...narrowed }, { refreshes: !isKept })
  return response
}
