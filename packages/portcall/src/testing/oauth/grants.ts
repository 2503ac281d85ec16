import { authenticateClient } from './client-auth.ts'
import { layOver } from './faults.ts'
import { bearAssertion } from './grant-assertion.ts'
import { redeemCode } from './grant-code.ts'
import { redeemDevice } from './grant-device.ts'
import { exchangeToken } from './grant-exchange.ts'
import { grantMachine } from './grant-machine.ts'
import { redeemRefresh } from './grant-refresh.ts'
import type { Realm } from './realm.ts'
import { type Answer, json, need, type OAuthRequest, Refusal } from './request.ts'
import type { GrantHandler } from './token-response.ts'

/** What is done for each `grant_type`. */
export const GRANTS: { readonly [type: string]: GrantHandler } = {
  authorization_code: redeemCode,
  refresh_token: redeemRefresh,
  client_credentials: grantMachine,
  'urn:ietf:params:oauth:grant-type:device_code': redeemDevice,
  'urn:ietf:params:oauth:grant-type:token-exchange': exchangeToken,
  'urn:ietf:params:oauth:grant-type:jwt-bearer': bearAssertion,
}

/** The token endpoint ([RFC 6749 §3.2](https://www.rfc-editor.org/rfc/rfc6749#section-3.2)). */
export async function token(request: OAuthRequest, realm: Realm): Promise<Answer> {
  const type = need(request, 'grant_type')
  const grant = Object.hasOwn(GRANTS, type) ? GRANTS[type] : undefined
  if (!grant) throw new Refusal('unsupported_grant_type', `${type} is not known`)
  const client = await authenticateClient(request, realm)
  if (client.grant_types && !client.grant_types.includes(type)) throw new Refusal('unauthorized_client', `${type} is not for you`)
  const jkt = await realm.proofs.check(request)
  const response = await grant({ request, realm, client, ...(jkt !== undefined && { jkt }) })
  const { nonce } = realm.proofs
  return json(layOver<unknown>(response, realm.faults().token), { headers: nonce === undefined ? {} : { 'dpop-nonce': nonce } })
}
