import { sha256 } from '../../../../util/src/digest.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { OAuthEndpointError } from './http.ts'
import type { ProxyClientAuthMethod, ProxyClientRegistration } from './options.ts'
import { isRedirectUri } from './redirects.ts'

/** The data with which the proxy authenticates a client. */
export interface ClientCredentials {
  readonly method: ProxyClientAuthMethod
  /** The hash of the client secret. */
  readonly secretHash?: string
  /** The public keys of the client (RFC 7517). */
  readonly jwks?: JsonObject
  /** Where to fetch the public keys. */
  readonly jwksUri?: string
}

/** A client as described by its own metadata. */
export interface ClientDescription {
  readonly name: string
  readonly redirectUris: readonly string[]
  readonly credentials: ClientCredentials
}

export const CLIENT_AUTH_METHODS: readonly ProxyClientAuthMethod[] = [
  'none',
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
]
const MAX_REDIRECT_URIS = 5
const MAX_NAME_LENGTH = 80
/** Registered keys are a part of the client id, which has to fit into URLs. */
const MAX_JWKS_LENGTH = 2048
/** Characters that are invisible or change how text is displayed: controls, direction marks, tags. */
const DECEPTIVE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029]/gu
const SECRET_METHODS: readonly string[] = ['client_secret_basic', 'client_secret_post']

/** Parses client metadata (RFC 7591, section 2), except for client secrets. @throws OAuthEndpointError */
export function parseMetadata(metadata: JsonObject): ClientDescription {
  const { redirect_uris: uris, client_name: name } = metadata
  if (!isRedirectUris(uris))
    throw new OAuthEndpointError('invalid_redirect_uri', 'redirect_uris needs one to five URLs with https, or http on loopback')
  return { name: displayName(name), redirectUris: uris, credentials: parseCredentials(metadata) }
}

/** Reports whether a method authenticates with a client secret. */
export function usesSecret(method: ProxyClientAuthMethod): boolean {
  return SECRET_METHODS.includes(method)
}

/** Checks a client of the configuration. @throws TypeError */
export async function describeRegistration(client: ProxyClientRegistration): Promise<ClientDescription> {
  const { clientSecret, keys } = client
  const method = methodOf(client)
  return {
    name: displayName(client.name),
    redirectUris: client.redirectUris,
    credentials: {
      method,
      ...(clientSecret !== undefined && { secretHash: await sha256(clientSecret) }),
      ...(keys && { jwks: { keys: [...keys.keys] } }),
    },
  }
}

/** Checks a client of the configuration. @throws TypeError */
export function checkRegistration(client: ProxyClientRegistration): void {
  const { clientId, redirectUris, clientSecret, keys } = client
  const method = methodOf(client)
  const subject = `The client ${JSON.stringify(clientId)}`
  if (!clientId || /^(https:\/\/|dcr\.)/.test(clientId)) throw new TypeError(`${subject} needs another clientId`)
  if (!isRedirectUris(redirectUris))
    throw new TypeError(`${subject} needs one to five redirectUris with https, or http on loopback`)
  if (usesSecret(method) && !clientSecret) throw new TypeError(`${subject} needs a clientSecret for ${method}`)
  if (method === 'private_key_jwt' && !keys) throw new TypeError(`${subject} needs keys for private_key_jwt`)
}

function methodOf({ authentication, keys, clientSecret }: ProxyClientRegistration): ProxyClientAuthMethod {
  return authentication ?? (keys ? 'private_key_jwt' : clientSecret === undefined ? 'none' : 'client_secret_basic')
}

function isRedirectUris(uris: unknown): uris is readonly string[] {
  return Array.isArray(uris) && uris.length > 0 && uris.length <= MAX_REDIRECT_URIS && uris.every(isRedirectUri)
}

function displayName(name: unknown): string {
  const text = typeof name === 'string' ? name.replace(DECEPTIVE, '').trim().slice(0, MAX_NAME_LENGTH) : ''
  return text || 'An unnamed client'
}

/** A client that names no method is public, because most clients that omit it are. The response to a registration says so. */
function parseCredentials({ token_endpoint_auth_method: name = 'none', jwks, jwks_uri: jwksUri }: JsonObject): ClientCredentials {
  const method = CLIENT_AUTH_METHODS.find((one) => one === name)
  if (!method) throw invalidMetadata('token_endpoint_auth_method is not supported')
  if (method !== 'private_key_jwt') return { method }
  if (typeof jwksUri === 'string' && jwks === undefined) return { method, jwksUri }
  if (!isObject(jwks) || !Array.isArray(jwks.keys) || JSON.stringify(jwks).length > MAX_JWKS_LENGTH)
    throw invalidMetadata('private_key_jwt needs jwks_uri, or jwks with at most 2 KB')
  return { method, jwks }
}

function invalidMetadata(message: string): OAuthEndpointError {
  return new OAuthEndpointError('invalid_client_metadata', message)
}
