import type { ClientMetadata } from './options.ts'
import type { Realm } from './realm.ts'
import type { OAuthRequest } from './request.ts'
import type { Granted } from './tokens.ts'

/** A token request of a client that has proven who it is. */
export interface GrantRequest {
  readonly request: OAuthRequest
  readonly realm: Realm
  readonly client: ClientMetadata
  /** The thumbprint of the key that it has proven to have. */
  readonly jkt?: string
}

/** Makes the members of a token response of a request. */
export type GrantHandler = (grant: GrantRequest) => Promise<Readonly<Record<string, unknown>>>

/** The members of a token response ([RFC 6749 §5.1](https://www.rfc-editor.org/rfc/rfc6749#section-5.1)), with a refresh token where one is due. */
export async function respond(
  { realm, client, jkt }: GrantRequest,
  granted: Granted,
  { refreshes = false }: { refreshes?: boolean } = {},
): Promise<Record<string, unknown>> {
  const bound = jkt === undefined ? granted : { ...granted, jkt }
  const scopes = granted.scope.split(' ')
  return {
    access_token: await realm.tokens.access(bound),
    token_type: jkt === undefined ? 'Bearer' : 'DPoP',
    expires_in: realm.lifetimes.access,
    ...(granted.scope !== '' && { scope: granted.scope }),
    ...(refreshes && mayRefresh(client, scopes, realm) && { refresh_token: realm.tokens.refresh(bound) }),
    ...(scopes.includes('openid') && { id_token: await idToken(granted, realm) }),
  }
}

function mayRefresh({ grant_types }: ClientMetadata, scopes: readonly string[], { options }: Realm): boolean {
  if (grant_types && !grant_types.includes('refresh_token')) return false
  return !options.scopes?.includes('offline_access') || scopes.includes('offline_access')
}

function idToken({ subject, clientId }: Granted, realm: Realm): Promise<string> {
  const now = Math.floor(realm.now() / 1000)
  const claims = { iss: realm.issuer, sub: subject, aud: clientId, iat: now, exp: now + realm.lifetimes.access }
  return realm.keys.sign(claims, { typ: 'JWT' })
}
