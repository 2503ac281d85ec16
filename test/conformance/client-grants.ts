/** Grant types of the conformance client that need no user interaction. */
import { type AuthProvider, clientCredentials, enterpriseManaged, workloadIdentity } from 'portcall/auth/client'

/** The credentials that a scenario provides. */
export interface GrantContext {
  readonly client_id?: string
  readonly client_secret?: string
  readonly private_key_pem?: string
  readonly signing_algorithm?: string
  readonly idp_client_id?: string
  readonly idp_id_token?: string
  readonly idp_issuer?: string
  readonly idp_token_endpoint?: string
  readonly valid_jwt?: string
}

const PROVIDERS: { readonly [scenario: string]: (context: GrantContext) => AuthProvider } = {
  'auth/client-credentials-basic': ({ client_id: clientId = '', client_secret: clientSecret = '' }) =>
    clientCredentials({ client: { clientId, clientSecret } }),
  'auth/client-credentials-jwt': ({ client_id: clientId = '', private_key_pem = '', signing_algorithm = '' }) =>
    clientCredentials({ client: { clientId, privateKey: private_key_pem, algorithm: signing_algorithm } }),
  'auth/enterprise-managed-authorization': (context) => {
    const { client_id: clientId = '', client_secret: clientSecret = '', idp_id_token = '' } = context
    const { idp_issuer: issuer = '', idp_token_endpoint: tokenEndpoint = '', idp_client_id = '' } = context
    return enterpriseManaged({
      identityProvider: { issuer, tokenEndpoint, client: { clientId: idp_client_id } },
      client: { clientId, clientSecret },
      subject: () => idp_id_token,
    })
  },
  'auth/wif-jwt-bearer': ({ valid_jwt = '' }) => workloadIdentity({ assertion: () => valid_jwt }),
}

/** Returns the provider of a scenario without user interaction. */
export function nonInteractiveAuthOf(scenario: string, context: GrantContext): AuthProvider | undefined {
  return Object.hasOwn(PROVIDERS, scenario) ? PROVIDERS[scenario]?.(context) : undefined
}
