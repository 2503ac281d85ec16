import type { JSONWebKeySet } from 'jose'
import { fromBase64url } from '../../../../util/src/base64url.ts'
import { constantTimeEqual, sha256 } from '../../../../util/src/digest.ts'
import { isObject } from '../../jsonrpc/message.ts'
import type { HookRequest } from '../../protocol/http.ts'
import { ownerKey } from '../../stores/owned-keys.ts'
import { JWT_ALGORITHMS } from '../server/verifiers/jwt.ts'
import { readBasicCredentials } from './basic-credentials.ts'
import type { ProxyClient } from './clients.ts'
import { PATHS, type ProxyContext } from './context.ts'
import { OAuthEndpointError } from './http.ts'
import type { ProxyClientAuthMethod } from './options.ts'

/** The client that sent a request, and how it has authenticated. A public client has only claimed its id. */
export interface AuthenticatedClient {
  readonly clientId: string
  readonly method: ProxyClientAuthMethod
}

/** The credentials in a request. */
interface Credentials extends AuthenticatedClient {
  /** The client secret, or the assertion. Empty for a public client. */
  readonly secret: string
}

type Form = ReadonlyMap<string, string>

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const ASSERTION_KEY = 'proxy/assertion/'
const CLOCK_TOLERANCE_S = 30
/** Assertions are remembered until they expire, so they must expire soon. */
const MAX_ASSERTION_TTL_S = 10 * 60
const MAX_ID_LENGTH = 256

/**
 * Authenticates the client of a request to the token or revocation endpoint (RFC 6749, section 2.3; RFC 7523, section 2.2). A client that sends
 * no credentials counts as public: the caller has to check that what it asks for was issued to a public client.
 *
 * @throws OAuthEndpointError `invalid_client`, or `invalid_request` for several kinds of credentials.
 */
export async function authenticateProxyClient(
  request: HookRequest,
  form: Form,
  context: ProxyContext,
): Promise<AuthenticatedClient> {
  const credentials = readCredentials(request, form)
  const { clientId, method, secret } = credentials
  if (method === 'none') return credentials
  const client = await context.clients.find(clientId, request)
  if (client.credentials.method !== method) throw refused()
  const isValid =
    method === 'private_key_jwt'
      ? await verifyAssertion(secret, { client, request, context })
      : constantTimeEqual(client.credentials.secretHash ?? '', await sha256(secret))
  if (!isValid) throw refused()
  return credentials
}

function readCredentials(request: HookRequest, form: Form): Credentials {
  const authorization = request.header('authorization')
  const [secret, assertion] = [form.get('client_secret'), form.get('client_assertion')]
  const kinds = [authorization, secret, assertion].filter((one) => one !== undefined)
  if (kinds.length > 1 || request.headerCount('authorization') > 1)
    throw new OAuthEndpointError('invalid_request', 'Send the credentials of the client once')
  const clientId = form.get('client_id')
  if (authorization !== undefined) {
    const basic = readBasicCredentials(authorization)
    if (!basic || (clientId !== undefined && clientId !== basic.clientId)) throw refused()
    return { ...basic, method: 'client_secret_basic' }
  }
  if (secret !== undefined) return { clientId: clientId ?? '', method: 'client_secret_post', secret }
  if (assertion === undefined) return { clientId: clientId ?? '', method: 'none', secret: '' }
  if (form.get('client_assertion_type') !== ASSERTION_TYPE) throw refused()
  return { clientId: clientId ?? unverifiedSubject(assertion), method: 'private_key_jwt', secret: assertion }
}

/** Returns the `sub` of an assertion, to find the client whose keys verify it. */
function unverifiedSubject(assertion: string): string {
  try {
    const [, payload = ''] = assertion.split('.')
    const claims: unknown = JSON.parse(new TextDecoder().decode(fromBase64url(payload)))
    return isObject(claims) && typeof claims.sub === 'string' ? claims.sub : ''
  } catch {
    return ''
  }
}

interface AssertionContext {
  readonly client: ProxyClient
  readonly request: HookRequest
  readonly context: ProxyContext
}

/** Verifies that the client has signed an assertion for this server, a short time ago, and that it was not used before. */
async function verifyAssertion(assertion: string, { client, request, context }: AssertionContext): Promise<boolean> {
  const { issuer, store, now } = context
  const jwks = await context.clients.keysOf(client, request)
  const jose = await import('jose')
  try {
    const { payload } = await jose.jwtVerify(assertion, jose.createLocalJWKSet(jwks as unknown as JSONWebKeySet), {
      issuer: client.id,
      subject: client.id,
      audience: [issuer, issuer + PATHS.token],
      algorithms: [...JWT_ALGORITHMS],
      clockTolerance: CLOCK_TOLERANCE_S,
      requiredClaims: ['exp', 'jti'],
      currentDate: new Date(now()),
    })
    const { exp = 0, jti } = payload
    const ttlS = exp - now() / 1000 + CLOCK_TOLERANCE_S
    if (typeof jti !== 'string' || jti.length > MAX_ID_LENGTH || ttlS > MAX_ASSERTION_TTL_S + CLOCK_TOLERANCE_S) return false
    const key = `${ASSERTION_KEY}${await ownerKey(client.id)}/${await sha256(jti)}`
    return await store.compareAndSet(key, { expected: undefined, value: '1', ttlMs: Math.max(1, ttlS * 1000) })
  } catch (error) {
    if (error instanceof jose.errors.JOSEError || error instanceof TypeError) return false
    throw error
  }
}

function refused(): OAuthEndpointError {
  return new OAuthEndpointError('invalid_client', 'The client cannot be authenticated', 401)
}
