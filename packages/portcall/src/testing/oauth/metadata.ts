import { layOver } from './faults.ts'
import { GRANTS } from './grants.ts'
import type { MetadataPlace } from './options.ts'
import type { Realm } from './realm.ts'

const AUTH_METHODS = ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt']
const ALGORITHMS = ['ES256', 'RS256', 'EdDSA']

/** What the server says of itself ([RFC 8414 §2](https://www.rfc-editor.org/rfc/rfc8414#section-2)). */
export function describe({ issuer, options, faults }: Realm): Record<string, unknown> {
  const { algorithm = 'ES256', registration, documents, scopes } = options
  const document = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    registration_endpoint: registration === false ? undefined : `${issuer}/register`,
    revocation_endpoint: `${issuer}/revoke`,
    introspection_endpoint: `${issuer}/introspect`,
    device_authorization_endpoint: `${issuer}/device_authorization`,
    scopes_supported: scopes,
    response_types_supported: ['code'],
    grant_types_supported: Object.keys(GRANTS),
    authorization_grant_profiles_supported: ['urn:ietf:params:oauth:grant-profile:id-jag'],
    token_endpoint_auth_methods_supported: AUTH_METHODS,
    token_endpoint_auth_signing_alg_values_supported: ALGORITHMS,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: documents !== false,
    dpop_signing_alg_values_supported: ['ES256', 'RS256', 'EdDSA'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [algorithm],
  }
  return layOver<unknown>(document, faults().metadata)
}

/** The path of a place where metadata is served. */
export function pathOf(place: MetadataPlace, path: string): string {
  if (place === 'oauth') return `/.well-known/oauth-authorization-server${path}`
  if (place === 'openid') return `/.well-known/openid-configuration${path}`
  return place === 'openid-appended' ? `${path}/.well-known/openid-configuration` : place
}
