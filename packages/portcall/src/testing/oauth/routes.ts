import { authorize } from './authorize.ts'
import { authorizeDevice, verifyDevice } from './device.ts'
import { type FaultyAnswer, faultOf } from './faults.ts'
import { token } from './grants.ts'
import { introspect } from './introspect.ts'
import type { Incoming, Outgoing } from './listen.ts'
import { describe, pathOf } from './metadata.ts'
import type { AuthorizationServerOptions, MetadataPlace } from './options.ts'
import type { Realm } from './realm.ts'
import { register } from './register.ts'
import { type Answer, type Endpoint, json, type OAuthRequest, Refusal, refuse } from './request.ts'
import { revoke } from './revoke.ts'

type Handler = (request: OAuthRequest, realm: Realm) => Answer | Promise<Answer>

/** An endpoint, and what answers there. */
export interface Route {
  readonly endpoint: Endpoint
  readonly method: 'GET' | 'POST'
  readonly answer: Handler
}

/** What is served, by path behind that of the issuer. */
const ROUTES: { readonly [path: string]: Route } = {
  '/jwks': { endpoint: 'jwks', method: 'GET', answer: (_, { keys }) => json(keys.published) },
  '/authorize': { endpoint: 'authorize', method: 'GET', answer: authorize },
  '/token': { endpoint: 'token', method: 'POST', answer: token },
  '/register': { endpoint: 'register', method: 'POST', answer: register },
  '/device_authorization': { endpoint: 'device', method: 'POST', answer: authorizeDevice },
  '/device': { endpoint: 'verify', method: 'GET', answer: verifyDevice },
  '/revoke': { endpoint: 'revoke', method: 'POST', answer: revoke },
  '/introspect': { endpoint: 'introspect', method: 'POST', answer: introspect },
}

const METADATA: Route = { endpoint: 'metadata', method: 'GET', answer: (_, realm) => json(describe(realm)) }
const PLACES: readonly MetadataPlace[] = ['oauth', 'openid-appended']

/** What is served at the path of a request. */
export function routeOf(
  { path: asked }: Incoming,
  { path = '', metadata = PLACES }: AuthorizationServerOptions,
): Route | undefined {
  if (metadata.some((place) => pathOf(place, path) === asked)) return METADATA
  const rest = asked.startsWith(path) ? asked.slice(path.length) : ''
  return Object.hasOwn(ROUTES, rest) ? ROUTES[rest] : undefined
}

/** Answers a request, rightly or with the fault that is set. */
export async function answerTo(request: OAuthRequest, route: Route | undefined, realm: Realm): Promise<Outgoing> {
  const fault = faultOf(request, realm.faults())
  const answer = fault && isWhole(fault) ? invented(fault) : await rightAnswer(request, route, realm)
  return { ...answer, ...(fault && { fault }) }
}

function isWhole({ status, body }: FaultyAnswer): boolean {
  return status !== undefined || body !== undefined
}

function invented({ status = 200, headers = {}, body = '' }: FaultyAnswer): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  }
}

async function rightAnswer(request: OAuthRequest, route: Route | undefined, realm: Realm): Promise<Answer> {
  if (!route || (route.endpoint === 'register' && realm.options.registration === false)) return { status: 404 }
  if (route.method !== request.method) return { status: 405, headers: { allow: route.method } }
  try {
    return await route.answer(request, realm)
  } catch (error) {
    if (error instanceof Refusal) return refuse(error)
    return { status: 500, body: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}
