import { readAssertion } from './assertions.ts'
import { random, secondsOf } from './ground.ts'
import { need, Refusal } from './request.ts'
import { checkResources, checkScope } from './target.ts'
import { type GrantHandler, type GrantRequest, respond } from './token-response.ts'

const TYPE = 'urn:ietf:params:oauth:token-type:'
const ID_JAG = `${TYPE}id-jag`
const KNOWN = ['id_token', 'access_token', 'jwt'].map((name) => TYPE + name)

/**
 * Exchanges a token ([RFC 8693 §2](https://www.rfc-editor.org/rfc/rfc8693#section-2)) for an access token, or an ID token for an identity assertion
 * authorization grant for the authorization server that `audience` names.
 */
export const exchangeToken: GrantHandler = async (grant) => {
  const { request, realm, client } = grant
  const type = need(request, 'subject_token_type')
  if (!KNOWN.includes(type)) throw new Refusal('invalid_request', `${type} is not known`)
  const isIdToken = type === `${TYPE}id_token`
  const { sub: subject = '' } = await readAssertion(need(request, 'subject_token'), realm, {
    ...(isIdToken && { audience: [client.client_id] }),
  })
  if (request.parameters.get('requested_token_type') === ID_JAG) return grantAssertion(grant, subject)
  const asked = { scope: checkScope(request, realm), resources: checkResources(request, realm) }
  const response = await respond(grant, { ...asked, subject, clientId: client.client_id, family: random() })
  return { ...response, issued_token_type: `${TYPE}access_token` }
}

async function grantAssertion({ request, realm, client }: GrantRequest, sub: string): Promise<Record<string, unknown>> {
  const now = secondsOf(realm)
  const scope = checkScope(request, realm)
  const resource = request.parameters.get('resource')
  const audience = need(request, 'audience')
  const claims = {
    iss: realm.issuer,
    sub,
    aud: audience,
    client_id: client.known_as?.[audience] ?? client.client_id,
    jti: random(),
    iat: now,
    exp: now + realm.lifetimes.access,
    ...(scope !== '' && { scope }),
    ...(resource !== null && { resource }),
  }
  return {
    access_token: await realm.keys.sign(claims, { typ: 'oauth-id-jag+jwt' }),
    issued_token_type: ID_JAG,
    token_type: 'N_A',
    expires_in: realm.lifetimes.access,
    ...(scope !== '' && { scope }),
  }
}
