import { authenticateClient } from './client-auth.ts'
import type { Realm } from './realm.ts'
import { type Answer, json, need, type OAuthRequest, Refusal } from './request.ts'

/** Tells a client that can prove who it is what a token stands for ([RFC 7662 §2](https://www.rfc-editor.org/rfc/rfc7662#section-2)). */
export async function introspect(request: OAuthRequest, realm: Realm): Promise<Answer> {
  const client = await authenticateClient(request, realm)
  if (client.client_secret === undefined && !client.jwks) throw new Refusal('unauthorized_client', 'Not for public clients')
  const found = realm.tokens.find(need(request, 'token'))
  if (!found) return json({ active: false })
  const type = found.granted.jkt === undefined ? 'Bearer' : 'DPoP'
  return json({
    active: true,
    iat: found.issued,
    exp: found.expires,
    ...found.claims,
    ...(found.kind === 'access' && { token_type: type }),
  })
}
