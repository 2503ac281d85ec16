import { authenticateClient } from './client-auth.ts'
import type { Realm } from './realm.ts'
import { type Answer, need, type OAuthRequest } from './request.ts'

/** Ends a token of the client that asks ([RFC 7009 §2](https://www.rfc-editor.org/rfc/rfc7009#section-2)); of others it says nothing. */
export async function revoke(request: OAuthRequest, realm: Realm): Promise<Answer> {
  const client = await authenticateClient(request, realm)
  const token = need(request, 'token')
  if (realm.tokens.find(token)?.granted.clientId === client.client_id) realm.tokens.revoke(token)
  return { status: 200 }
}
