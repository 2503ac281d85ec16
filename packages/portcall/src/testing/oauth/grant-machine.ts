import { random } from './ground.ts'
import { Refusal } from './request.ts'
import { checkResources, checkScope } from './target.ts'
import { type GrantHandler, respond } from './token-response.ts'

/** Gives a token to a client that acts for itself ([RFC 6749 §4.4](https://www.rfc-editor.org/rfc/rfc6749#section-4.4)). */
export const grantMachine: GrantHandler = async (grant) => {
  const { request, realm, client } = grant
  if (client.client_secret === undefined && !client.jwks)
    throw new Refusal('unauthorized_client', 'Only for clients that prove who they are')
  const asked = { scope: checkScope(request, realm), resources: checkResources(request, realm) }
  return respond(grant, { ...asked, subject: client.client_id, clientId: client.client_id, family: random() })
}
