import { readBasicCredentials } from '../../../auth/proxy/basic-credentials.ts'
import type { AuthorizationContext } from '../context.ts'
import type { ClientMetadata } from '../options.ts'
import { OAuthError, type OAuthRequest } from '../request.ts'
import { nowSeconds } from '../settings.ts'
import { createKeyResolver } from './assertions.ts'

const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** The credentials of a client. */
interface ClientCredentials {
  readonly method: 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'
  readonly id: string
  /** The secret, or the assertion. */
  readonly proof: string
}

/**
 * Authenticates the client of a request ([RFC 6749 §2.3](https://www.rfc-editor.org/rfc/rfc6749#section-2.3),
 * [RFC 7523 §3](https://www.rfc-editor.org/rfc/rfc7523#section-3)). @throws OAuthError
 */
export async function authenticateClient(request: OAuthRequest, context: AuthorizationContext): Promise<ClientMetadata> {
  const credentials = readCredentials(request, context)
  const client = credentials && (await context.clients.find(credentials.id))
  if (!client || !methodsOf(client).includes(credentials.method)) throw authenticationError()
  if (credentials.method === 'private_key_jwt') await verifyClientAssertion(credentials.proof, client, context)
  else if (credentials.method !== 'none' && credentials.proof !== client.client_secret) throw authenticationError()
  return client
}

/** Reports whether a client can prove its identity. */
export function isConfidential({ client_secret, jwks }: ClientMetadata): boolean {
  return client_secret !== undefined || Boolean(jwks)
}

function authenticationError(): OAuthError {
  const headers = { 'www-authenticate': 'Basic' }
  return new OAuthError('invalid_client', 'Client authentication failed', { status: 401, headers })
}

function methodsOf({ token_endpoint_auth_method: method, client_secret, jwks }: ClientMetadata): readonly string[] {
  if (method !== undefined) return [method]
  if (jwks) return ['private_key_jwt']
  return client_secret === undefined ? ['none'] : ['client_secret_basic', 'client_secret_post']
}

function readCredentials({ headers, parameters }: OAuthRequest, { jose }: AuthorizationContext): ClientCredentials | undefined {
  const basic = readBasicCredentials(headers['authorization'] ?? '')
  if (basic) return { method: 'client_secret_basic', id: basic.clientId, proof: basic.secret }
  const assertion = parameters.get('client_assertion')
  if (assertion !== null && parameters.get('client_assertion_type') === JWT_BEARER) {
    const id = subjectOf(assertion, jose)
    return id === undefined ? undefined : { method: 'private_key_jwt', id, proof: assertion }
  }
  const id = parameters.get('client_id')
  const secret = parameters.get('client_secret')
  if (id === null) return undefined
  return secret === null ? { method: 'none', id, proof: '' } : { method: 'client_secret_post', id, proof: secret }
}

function subjectOf(assertion: string, jose: AuthorizationContext['jose']): string | undefined {
  try {
    return jose.decodeJwt(assertion).sub
  } catch {
    return undefined
  }
}

async function verifyClientAssertion(assertion: string, client: ClientMetadata, context: AuthorizationContext): Promise<void> {
  const { jose, issuer, now, usedAssertions } = context
  const { payload } = await jose
    .jwtVerify(assertion, createKeyResolver(client.jwks ?? { keys: [] }, context), {
      issuer: client.client_id,
      subject: client.client_id,
      audience: [issuer, `${issuer}/token`],
      requiredClaims: ['exp', 'jti'],
      currentDate: new Date(now()),
    })
    .catch(() => {
      throw authenticationError()
    })
  const { jti = '', exp = 0 } = payload
  if (usedAssertions.has(jti) || exp < nowSeconds(context)) throw authenticationError()
  usedAssertions.add(jti)
}
