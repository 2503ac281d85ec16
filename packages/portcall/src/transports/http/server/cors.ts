/**
 * Cross-origin resource sharing for the origins in `allowedOrigins`. Without that option no CORS header is sent, and browsers do not let
 * pages of other origins read responses. Credentials are never allowed: a page sends its token in a header.
 * https://fetch.spec.whatwg.org/#http-cors-protocol
 */

import type { FlatHeaders } from '../common/headers.ts'
import { Header } from '../common/headers.ts'
import { createOriginCheck, type HostCheckOptions } from './host-check.ts'
import type { HttpRequest } from './types.ts'

/** The CORS policy of an endpoint. */
export interface Cors {
  /** Returns the headers of every response to a request. */
  headersFor(request: HttpRequest): FlatHeaders
  /** Returns the headers of the response to a preflight request, or undefined for any other request. */
  preflight(request: HttpRequest): FlatHeaders | undefined
}

/** Response headers that pages may read. */
const EXPOSED_HEADERS = [Header.sessionId, Header.wwwAuthenticate, Header.retryAfter, 'dpop-nonce'].join(', ')
const ALLOWED_METHODS = 'GET, POST, DELETE'
const MAX_AGE_S = 7200
const MAX_NAMES_LENGTH = 4096
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~, -]*$/
const VARY: FlatHeaders = ['vary', 'origin']

/** Creates the CORS policy. Returns undefined without `allowedOrigins`. */
export function createCors(options: HostCheckOptions): Cors | undefined {
  if (options.allowedOrigins === undefined) return undefined
  const isAllowed = createOriginCheck(options)
  return {
    headersFor(request) {
      const origin = request.header(Header.origin)
      if (origin === undefined || !isAllowed(origin)) return VARY
      return [...VARY, 'access-control-allow-origin', origin, 'access-control-expose-headers', EXPOSED_HEADERS]
    },
    preflight(request) {
      if (request.method !== 'OPTIONS' || request.header('access-control-request-method') === undefined) return undefined
      const requested = request.header('access-control-request-headers') ?? ''
      const names = requested.length <= MAX_NAMES_LENGTH && HEADER_NAMES.test(requested) ? requested : ''
      const common = ['access-control-allow-methods', ALLOWED_METHODS, 'access-control-max-age', String(MAX_AGE_S)]
      return names === '' ? common : [...common, 'access-control-allow-headers', names]
    },
  }
}
