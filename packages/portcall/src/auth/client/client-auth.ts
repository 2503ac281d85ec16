import type { ClientAuth } from 'oauth4webapi'
import { AuthError } from './errors.ts'
import type { AuthorizationServer, ClientAuthMethod, ClientIdentity, ClientKey } from './types.ts'

/** What a server accepts that does not tell (RFC 8414 section 2). */
const UNTOLD: readonly string[] = ['client_secret_basic']

/** Chooses how a client proves itself: as it is registered, or the strongest way for which it has the means. */
export function authMethodOf(client: ClientIdentity, server: AuthorizationServer): ClientAuthMethod {
  const { authentication, privateKey, clientSecret } = client
  if (authentication) return authentication
  if (privateKey !== undefined) return 'private_key_jwt'
  if (clientSecret === undefined) return 'none'
  const supported = server.token_endpoint_auth_methods_supported ?? UNTOLD
  return !supported.includes('client_secret_basic') && supported.includes('client_secret_post')
    ? 'client_secret_post'
    : 'client_secret_basic'
}

/**
 * Makes what proves a client to a token endpoint.
 * https://www.rfc-editor.org/rfc/rfc6749#section-2.3, https://www.rfc-editor.org/rfc/rfc7523#section-2.2
 *
 * @throws AuthError `registration_failed` when it lacks the secret or the key for its way.
 */
export async function authenticate(client: ClientIdentity, server: AuthorizationServer): Promise<ClientAuth> {
  const method = authMethodOf(client, server)
  const oauth = await import('oauth4webapi')
  if (method === 'none') return oauth.None()
  if (method === 'private_key_jwt') {
    const { algorithm: alg, ...key } = await readKey(client)
    return nameless(
      oauth.PrivateKeyJwt(key, { [oauth.modifyAssertion]: (header) => void (alg && Object.assign(header, { alg })) }),
    )
  }
  const { clientId, clientSecret } = client
  if (clientSecret === undefined) throw lacking(clientId, `a secret for ${method}`)
  return method === 'client_secret_post' ? oauth.ClientSecretPost(clientSecret) : basic(clientId, clientSecret)
}

/** The assertion names the client already (RFC 7521 section 4.2). */
function nameless(prove: ClientAuth): ClientAuth {
  return async (...request) => {
    await prove(...request)
    const [, , body] = request
    body.delete('client_id')
  }
}

/** Escapes no more than the form encoding demands: not every server takes out again what needs not be escaped. */
function basic(clientId: string, clientSecret: string): ClientAuth {
  const encode = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1)
  const credentials = btoa(`${encode(clientId)}:${encode(clientSecret)}`)
  return (...[, , , headers]) => headers.set('authorization', `Basic ${credentials}`)
}

interface SigningKey {
  readonly key: CryptoKey
  readonly kid?: string
  /** Some have two names, of which servers may know one. */
  readonly algorithm?: string
}

async function readKey({ clientId, privateKey, algorithm }: ClientIdentity): Promise<SigningKey> {
  if (privateKey === undefined) throw lacking(clientId, 'a private key')
  const named = algorithm === undefined ? {} : { algorithm }
  if (typeof privateKey === 'object' && 'type' in privateKey) return { key: privateKey as CryptoKey, ...named }
  const jose = await import('jose')
  if (typeof privateKey === 'string') return { key: await jose.importPKCS8(privateKey, algorithm ?? 'ES256'), ...named }
  const jwk = privateKey as Exclude<ClientKey, string | CryptoKey> & { kid?: string }
  const alg = algorithm ?? jwk.alg ?? 'ES256'
  const key = (await jose.importJWK(jwk as never, alg)) as CryptoKey
  return { key, algorithm: alg, ...(jwk.kid !== undefined && { kid: jwk.kid }) }
}

function lacking(clientId: string, what: string): AuthError {
  return new AuthError(
    'registration_failed',
    `The client ${JSON.stringify(clientId)} has to prove itself, but there is not ${what}`,
  )
}
