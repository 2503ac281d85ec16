/**
 * Lets web pages of the allowed origins read what is answered here. Without `allowedOrigins` nothing is said about origins, and browsers
 * keep every answer from pages of others. Credentials are never shared: a page brings its token in a header of its own.
 * https://fetch.spec.whatwg.org/#http-cors-protocol
 */
import { createOriginRule, type GuardOptions } from './guard.ts'
import type { FlatHeaders } from './headers.ts'
import { Header } from './headers.ts'
import type { HttpReply, HttpRequest } from './types.ts'

/** Cross-origin sharing at one endpoint. */
export interface Cors {
  /** The reply with the headers that let the page which sent the request read it, if it may. */
  share(request: HttpRequest, reply: HttpReply): HttpReply
  /** The head of the answer to a browser that asks before it sends; nothing when the request is no such question. */
  preflight(request: HttpRequest): FlatHeaders | undefined
}

/** What pages may read besides the body. */
const EXPOSED = [Header.sessionId, Header.wwwAuthenticate, Header.retryAfter, 'dpop-nonce'].join(', ')
const METHODS = 'GET, POST, DELETE'
const MAX_AGE_S = 7200
const MAX_NAMES_LENGTH = 4096
const NAMES = /^[\w!#$%&'*+.^`|~, -]*$/

/** Makes the sharing that `allowedOrigins` asks for; nothing without it. */
export function createCors(options: GuardOptions): Cors | undefined {
  if (options.allowedOrigins === undefined) return undefined
  const isAllowed = createOriginRule(options)
  return {
    share(request, reply) {
      const origin = request.header(Header.origin)
      if (origin === undefined || !isAllowed(origin)) return varied(reply, ['vary', 'origin'])
      return varied(reply, ['vary', 'origin', 'access-control-allow-origin', origin, 'access-control-expose-headers', EXPOSED])
    },
    preflight(request) {
      if (request.method !== 'OPTIONS' || request.header('access-control-request-method') === undefined) return undefined
      const asked = request.header('access-control-request-headers') ?? ''
      const names = asked.length <= MAX_NAMES_LENGTH && NAMES.test(asked) ? asked : ''
      const common = ['access-control-allow-methods', METHODS, 'access-control-max-age', String(MAX_AGE_S)]
      return names === '' ? common : [...common, 'access-control-allow-headers', names]
    },
  }
}

function varied(reply: HttpReply, more: FlatHeaders): HttpReply {
  return {
    send: (status, headers, body) => reply.send(status, [...headers, ...more], body),
    open: (status, headers, first) => reply.open(status, [...headers, ...more], first),
  }
}
