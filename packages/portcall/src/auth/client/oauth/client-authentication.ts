import type { ClientAuth } from 'oauth4webapi'
import { AuthError } from '../errors.ts'
import type { AuthorizationServer, ClientAuthMethod, ClientIdentity, ClientKey } from '../types.ts'

/** The methods of a server whose metadata lists none (RFC 8414, section 2). */
const DEFAULT_METHODS: readonly string[] = ['client_secret_basic']

/**
 * Chooses how a client authenticates: as configured, or with the strongest method for which it has credentials. Of the
 * two ways to send a secret, it takes the one that the server lists first.
 */
function chooseAuthMethod(client: ClientIdentity, server: AuthorizationServer): ClientAuthMethod {
  const { authentication, privateKey, clientSecret } = client
  if (authentication) return authentication
  if (privateKey !== undefined) return 'private_key_jwt'
  if (clientSecret === undefined) return 'none'
  const supported = server.token_endpoint_auth_methods_supported ?? DEFAULT_METHODS
  const listed = supported.find((method) => method === 'client_secret_basic' || method === 'client_secret_post')
  return listed === 'client_secret_post' ? listed : 'client_secret_basic'
}

/** Reports whether a client is named only in the `Authorization` header of its token requests. */
export function isNamedInHeader(client: ClientIdentity, server: AuthorizationServer): boolean {
  return chooseAuthMethod(client, server) === 'client_secret_basic'
}

export interface ClientAuthOptions {
  /** Also names a client in the form that is named in the `Authorization` header (RFC 6749, section 3.2.1). */
  readonly namesClientTwice?: boolean
}

/**
 * Creates the function that adds a client's credentials to a token request.
 * https://www.rfc-editor.org/rfc/rfc6749#section-2.3, https://www.rfc-editor.org/rfc/rfc7523#section-2.2
 *
 * @throws AuthError `registration_failed` if the client lacks the secret or the key for its method.
 */
export async function createClientAuth(
  client: ClientIdentity,
  server: AuthorizationServer,
  { namesClientTwice = false }: ClientAuthOptions = {},
): Promise<ClientAuth> {
  const method = chooseAuthMethod(client, server)
  const oauth = await import('oauth4webapi')
  if (method === 'none') return oauth.None()
  if (method === 'private_key_jwt') {
    const { algorithm: alg, ...key } = await importKey(client)
    return withoutClientId(
      oauth.PrivateKeyJwt(key, { [oauth.modifyAssertion]: (header) => void (alg && Object.assign(header, { alg })) }),
    )
  }
  const { clientId, clientSecret } = client
  if (clientSecret === undefined) throw missingCredentials(clientId, `a client secret for ${method}`)
  if (method === 'client_secret_post') return oauth.ClientSecretPost(clientSecret)
  const authenticate = createBasicAuth(clientId, clientSecret)
  return namesClientTwice ? withClientId(authenticate, clientId) : authenticate
}

/** Removes the `client_id` parameter, because the assertion names the client already (RFC 7521, section 4.2). */
function withoutClientId(auth: ClientAuth): ClientAuth {
  return async (...request) => {
    await auth(...request)
    const [, , body] = request
    body.delete('client_id')
  }
}

function withClientId(auth: ClientAuth, clientId: string): ClientAuth {
  return async (...request) => {
    await auth(...request)
    const [, , body] = request
    body.set('client_id', clientId)
  }
}

/** Escapes no more than form encoding requires, because some servers do not decode characters that need no escaping. */
function createBasicAuth(clientId: string, clientSecret: string): ClientAuth {
  const encode = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1)
  const credentials = btoa(`${encode(clientId)}:${encode(clientSecret)}`)
  return (...[, , , headers]) => headers.set('authorization', `Basic ${credentials}`)
}

interface SigningKey {
  readonly key: CryptoKey
  readonly kid?: string
  /** Set explicitly, because some algorithms have two names and servers may know only one of them. */
  readonly algorithm?: string
}

async function importKey({ clientId, privateKey, algorithm }: ClientIdentity): Promise<SigningKey> {
  if (privateKey === undefined) throw missingCredentials(clientId, 'a private key')
  const explicit = algorithm === undefined ? {} : { algorithm }
  if (typeof privateKey === 'object' && 'type' in privateKey) return { key: privateKey as CryptoKey, ...explicit }
  const jose = await import('jose')
  if (typeof privateKey === 'string') return { key: await jose.importPKCS8(privateKey, algorithm ?? 'ES256'), ...explicit }
  const jwk = privateKey as Exclude<ClientKey, string | CryptoKey> & { kid?: string }
  const alg = algorithm ?? jwk.alg ?? 'ES256'
  const key = (await jose.importJWK(jwk as never, alg)) as CryptoKey
  return { key, algorithm: alg, ...(jwk.kid !== undefined && { kid: jwk.kid }) }
}

function missingCredentials(clientId: string, what: string): AuthError {
  return new AuthError('registration_failed', `The client ${JSON.stringify(clientId)} needs ${what}`)
}
