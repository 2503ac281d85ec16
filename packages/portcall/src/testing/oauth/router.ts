import type { AuthorizationContext } from './context.ts'
import { serveAuthorization, serveDeviceAuthorization, serveDeviceVerification } from './endpoints/authorize.ts'
import { createMetadata, metadataPath, serveIntrospection, serveRegistration, serveRevocation } from './endpoints/management.ts'
import { serveTokenRequest } from './endpoints/token.ts'
import { type FaultyResponse, faultOf } from './faults.ts'
import type { IncomingRequest, OutgoingResponse } from './http-listener.ts'
import type { AuthorizationServerOptions, MetadataLocation } from './options.ts'
import {
  createJsonResponse,
  type OAuthEndpoint,
  OAuthError,
  type OAuthRequest,
  type OAuthResponse,
  toErrorResponse,
} from './request.ts'

export interface Route {
  readonly endpoint: OAuthEndpoint
  readonly method: 'GET' | 'POST'
  readonly handle: (request: OAuthRequest, context: AuthorizationContext) => OAuthResponse | Promise<OAuthResponse>
}

/** The routes, by path relative to the issuer. */
const ROUTES: { readonly [path: string]: Route } = {
  '/jwks': { endpoint: 'jwks', method: 'GET', handle: (_, { keys }) => createJsonResponse(keys.published) },
  '/authorize': { endpoint: 'authorize', method: 'GET', handle: serveAuthorization },
  '/token': { endpoint: 'token', method: 'POST', handle: serveTokenRequest },
  '/register': { endpoint: 'register', method: 'POST', handle: serveRegistration },
  '/device_authorization': { endpoint: 'device', method: 'POST', handle: serveDeviceAuthorization },
  '/device': { endpoint: 'verify', method: 'GET', handle: serveDeviceVerification },
  '/revoke': { endpoint: 'revoke', method: 'POST', handle: serveRevocation },
  '/introspect': { endpoint: 'introspect', method: 'POST', handle: serveIntrospection },
}

const METADATA_ROUTE: Route = {
  endpoint: 'metadata',
  method: 'GET',
  handle: (_, context) => createJsonResponse(createMetadata(context)),
}
const DEFAULT_LOCATIONS: readonly MetadataLocation[] = ['oauth', 'openid-appended']

/** Returns the route of a request. */
export function findRoute(
  { path }: IncomingRequest,
  { path: issuerPath = '', metadataLocations = DEFAULT_LOCATIONS }: AuthorizationServerOptions,
): Route | undefined {
  if (metadataLocations.some((location) => metadataPath(location, issuerPath) === path)) return METADATA_ROUTE
  const relativePath = path.startsWith(issuerPath) ? path.slice(issuerPath.length) : ''
  return Object.hasOwn(ROUTES, relativePath) ? ROUTES[relativePath] : undefined
}

/** Returns the response to a request, with the configured fault. */
export async function respond(
  request: OAuthRequest,
  route: Route | undefined,
  context: AuthorizationContext,
): Promise<OutgoingResponse> {
  const fault = faultOf(request, context.faults())
  const response = fault && isReplacement(fault) ? replacement(fault) : await handle(request, route, context)
  return { ...response, ...(fault && { fault }) }
}

function isReplacement({ status, body }: FaultyResponse): boolean {
  return status !== undefined || body !== undefined
}

function replacement({ status = 200, headers = {}, body = '' }: FaultyResponse): OAuthResponse {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  }
}

async function handle(request: OAuthRequest, route: Route | undefined, context: AuthorizationContext): Promise<OAuthResponse> {
  if (!route || (route.endpoint === 'register' && context.options.dynamicRegistration === false)) return { status: 404 }
  if (route.method !== request.method) return { status: 405, headers: { allow: route.method } }
  try {
    return await route.handle(request, context)
  } catch (error) {
    if (error instanceof OAuthError) return toErrorResponse(error)
    return { status: 500, body: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}
