import { readAssertion } from './assertions.ts'
import { random } from './ground.ts'
import { need, Refusal } from './request.ts'
import { checkResources, checkScope } from './target.ts'
import { type GrantHandler, respond } from './token-response.ts'

/**
 * Gives a token for what a trusted issuer asserts ([RFC 7523 §2.1](https://www.rfc-editor.org/rfc/rfc7523#section-2.1)). An assertion that names
 * a client, as an identity assertion authorization grant does, is good for that client alone, and each is good once.
 */
export const bearAssertion: GrantHandler = async (grant) => {
  const { request, realm, client } = grant
  const claims = await readAssertion(need(request, 'assertion'), realm, { audience: [realm.issuer, `${realm.issuer}/token`] })
  const { sub = '', jti, client_id: meant, resource } = claims
  if (meant !== undefined && meant !== client.client_id) throw new Refusal('invalid_grant', 'The assertion is for another client')
  if (jti !== undefined && realm.assertions.has(jti)) throw new Refusal('invalid_grant', 'The assertion was used before')
  if (jti !== undefined) realm.assertions.add(jti)
  const asked = checkResources(request, realm)
  const named = typeof resource === 'string' ? [resource] : []
  const scope = checkScope(request, realm) || (typeof claims['scope'] === 'string' ? claims['scope'] : '')
  return respond(grant, {
    subject: sub,
    clientId: client.client_id || sub,
    scope,
    resources: asked.length > 0 ? asked : named,
    family: random(),
  })
}
