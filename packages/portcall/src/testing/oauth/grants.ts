import { authenticateClient } from './client-auth.ts'
import { layOver } from './faults.ts'
import { bearAssertion } from './grant-assertion.ts'
import { redeemCode } from './grant-code.ts'
import { redeemDevice } from './grant-device.ts'
import { exchangeToken } from './grant-exchange.ts'
import { grantMachine } from './grant-machine.ts'
import { redeemRefresh } from './grant-refresh.ts'
import type { ClientMetadata } from './options.ts'
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

const ANONYMOUS: ClientMetadata = { client_id: '' }

/** An assertion may say all that there is to know of who sends it ([RFC 7521 §4.1](https://www.rfc-editor.org/rfc/rfc7521#section-4.1)). */
function isAnonymous({ parameters, headers }: OAuthRequest): boolean {
  const names = ['client_id', 'client_assertion'].some((name) => parameters.has(name))
  return parameters.has('assertion') && !names && headers['authorization'] === undefined
}

/** The token endpoint ([RFC 6749 §3.2](https://www.rfc-editor.org/rfc/rfc6749#section-3.2)). */
export async function token(request: OAuthRequest, realm: Realm): Promise<Answer> {
  const type = need(request, 'grant_type')
  const grant = Object.hasOwn(GRANTS, type) ? GRANTS[type] : undefined
  if (!grant) throw new Refusal('unsupported_grant_type', `${type} is not known`)
  const client = isAnonymous(request) ? ANONYMOUS : await authenticateClient(request, realm)
  if (client.grant_types && !client.grant_types.includes(type)) throw new Refusal('unauthorized_client', `${type} is not for you`)
  const jkt = await realm.proofs.check(request)
  const response = await grant({ request, realm, client, ...(jkt !== undefined && { jkt }) })
  const { nonce } = realm.proofs
  return json(layOver<unknown>(response, realm.faults().token), { headers: nonce === undefined ? {} : { 'dpop-nonce': nonce } })
}
