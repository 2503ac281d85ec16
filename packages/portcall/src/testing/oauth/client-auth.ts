import { keySetOf } from './assertions.ts'
import { secondsOf } from './ground.ts'
import type { ClientMetadata } from './options.ts'
import type { Realm } from './realm.ts'
import { type OAuthRequest, Refusal } from './request.ts'

const ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** What a client shows to prove who it is. */
interface Shown {
  readonly method: 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'
  readonly id: string
  /** The secret or the assertion. */
  readonly proof: string
}

/** Tells which client asks, and whether it is it ([RFC 6749 §2.3](https://www.rfc-editor.org/rfc/rfc6749#section-2.3), [RFC 7523 §3](https://www.rfc-editor.org/rfc/rfc7523#section-3)). */
export async function authenticateClient(request: OAuthRequest, realm: Realm): Promise<ClientMetadata> {
  const shown = readShown(request, realm)
  const client = shown && (await realm.clients.find(shown.id))
  if (!client || !methodsOf(client).includes(shown.method)) throw unknown()
  if (shown.method === 'private_key_jwt') await checkAssertion(shown.proof, client, realm)
  else if (shown.method !== 'none' && shown.proof !== client.client_secret) throw unknown()
  return client
}

function unknown(): Refusal {
  return new Refusal('invalid_client', 'The client is not known', { status: 401, headers: { 'www-authenticate': 'Basic' } })
}

function methodsOf({ token_endpoint_auth_method: method, client_secret, jwks }: ClientMetadata): readonly string[] {
  if (method !== undefined) return [method]
  if (jwks) return ['private_key_jwt']
  return client_secret === undefined ? ['none'] : ['client_secret_basic', 'client_secret_post']
}

function readShown({ headers, parameters }: OAuthRequest, { jose }: Realm): Shown | undefined {
  const basic = /^Basic (.+)$/i.exec(headers['authorization'] ?? '')?.[1]
  if (basic !== undefined) {
    const [id = '', proof = ''] = atob(basic).split(':').map(decodeForm)
    return { method: 'client_secret_basic', id, proof }
  }
  const assertion = parameters.get('client_assertion')
  if (assertion !== null && parameters.get('client_assertion_type') === ASSERTION) {
    const id = subjectOf(assertion, jose)
    return id === undefined ? undefined : { method: 'private_key_jwt', id, proof: assertion }
  }
  const id = parameters.get('client_id')
  const secret = parameters.get('client_secret')
  if (id === null) return undefined
  return secret === null ? { method: 'none', id, proof: '' } : { method: 'client_secret_post', id, proof: secret }
}

function decodeForm(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}

function subjectOf(assertion: string, jose: Realm['jose']): string | undefined {
  try {
    return jose.decodeJwt(assertion).sub
  } catch {
    return undefined
  }
}

async function checkAssertion(assertion: string, client: ClientMetadata, realm: Realm): Promise<void> {
  const { jose, issuer, now, assertions } = realm
  const { payload } = await jose
    .jwtVerify(assertion, keySetOf(client.jwks ?? { keys: [] }, realm), {
      issuer: client.client_id,
      subject: client.client_id,
      audience: [issuer, `${issuer}/token`],
      requiredClaims: ['exp', 'jti'],
      currentDate: new Date(now()),
    })
    .catch(() => {
      throw unknown()
    })
  const { jti = '', exp = 0 } = payload
  if (assertions.has(jti) || exp < secondsOf(realm)) throw unknown()
  assertions.add(jti)
}
