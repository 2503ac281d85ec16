import { generateKeyPairSync, randomUUID } from 'node:crypto'
import type { ClientMetadata, Configuration, JWK } from 'oidc-provider'

export interface ProviderOptions {
  /** The resource that tokens are for, unless a client requests another one. */
  readonly resource: string
  /** Scopes of the resource, separated by spaces. */
  readonly scope: string
  readonly clients?: ClientMetadata[]
  /** The lifetime of access tokens in seconds. Default: 300. */
  readonly accessSeconds?: number
  /** The format of access tokens. Default: `jwt`. */
  readonly tokens?: 'jwt' | 'opaque'
}

/** Returns a configuration with all features that MCP clients use. */
export function configure({
  resource,
  scope,
  clients = [],
  accessSeconds = 300,
  tokens = 'jwt',
}: ProviderOptions): Configuration {
  return {
    clients,
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    scopes: ['openid', 'offline_access'],
    findAccount: (_, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    issueRefreshToken: async (_, client) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: async () => false,
    rotateRefreshToken: () => true,
    pkce: { required: () => true },
    cookies: { keys: [randomUUID()] },
    ttl: {
      AccessToken: accessSeconds,
      ClientCredentials: accessSeconds,
      RefreshToken: 86_400,
      DeviceAuthorization: 600,
      Grant: 86_400,
      Session: 86_400,
      Interaction: 3600,
    },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true },
      introspection: { enabled: true },
      clientCredentials: { enabled: true },
      deviceFlow: { enabled: true },
      dPoP: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo: (_, requested) => ({
          scope,
          audience: requested,
          accessTokenTTL: accessSeconds,
          ...(tokens === 'jwt'
            ? { accessTokenFormat: 'jwt' as const, jwt: { sign: { alg: 'ES256' as const } } }
            : { accessTokenFormat: 'opaque' as const }),
        }),
      },
    },
  }
}

/** Creates a signing key. */
export async function createSigningKey(): Promise<JWK> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), alg: 'ES256', use: 'sig' } as JWK
}
