import { isLoopback } from './clients.ts'
import type { Realm } from './realm.ts'
import { type Answer, json, type OAuthRequest, Refusal } from './request.ts'

/** Registers a client ([RFC 7591 §3](https://www.rfc-editor.org/rfc/rfc7591#section-3)): what it is sent to is https or this machine. */
export async function register({ body }: OAuthRequest, { clients }: Realm): Promise<Answer> {
  if (typeof body !== 'object' || body === null) throw new Refusal('invalid_client_metadata', 'JSON is needed')
  const metadata = body as Readonly<Record<string, unknown>>
  const uris = metadata['redirect_uris'] ?? []
  if (!Array.isArray(uris)) throw new Refusal('invalid_redirect_uri', 'redirect_uris is no list')
  for (const uri of uris) {
    if (!isAllowed(uri, metadata['application_type'])) throw new Refusal('invalid_redirect_uri', `${uri} is not allowed`)
  }
  return json(clients.register(metadata), { status: 201 })
}

/** Clients on this machine are native ([OpenID Connect Registration §2](https://openid.net/specs/openid-connect-registration-1_0.html#ClientMetadata)). */
function isAllowed(uri: unknown, type: unknown = 'web'): boolean {
  if (typeof uri !== 'string' || !URL.canParse(uri)) return false
  const { protocol, hostname } = new URL(uri)
  return protocol === 'https:' ? !isLoopback(hostname) : protocol === 'http:' && isLoopback(hostname) && type === 'native'
}
