/**
 * Keeps web pages away from servers on the reader's own machine. A page of any site can make a browser send requests to `localhost`, and
 * with a name that it lets resolve to 127.0.0.1 it can read the answers too (DNS rebinding). So every request has to name a host
 * that we are, and its `Origin`, when a browser sent one, has to be allowed.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports#security-warning
 */

import { Header } from './headers.ts'
import { type HttpError, refuse } from './http-error.ts'
import type { HttpRequest } from './types.ts'

/** Serves whatever `Host` says: any web page can then reach this server through DNS rebinding, unless something in front prevents it. */
export const insecureAnyHost: unique symbol = Symbol('insecureAnyHost')

/** Serves whatever `Origin` says: any web page can then call this server from its reader's browser. */
export const insecureAnyOrigin: unique symbol = Symbol('insecureAnyOrigin')

/** Which hosts and origins are served. */
export interface GuardOptions {
  /** Names of this server, with or without a port: `api.example.com`, `api.example.com:8443`, `[::1]`. Default: the loopback names. */
  readonly allowedHosts?: readonly string[] | typeof insecureAnyHost
  /** Origins of web pages that may call: `https://app.example.com`. Default: those on the allowed hosts. */
  readonly allowedOrigins?: readonly string[] | typeof insecureAnyOrigin
}

/** Says why a request may not pass, or nothing. */
export type Guard = (request: HttpRequest) => HttpError | undefined

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]']
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/
const ORIGIN = /^https?:\/\/([^/]*)$/
const ABSOLUTE_TARGET = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i

/** Makes the check that every request has to pass first. */
export function createGuard(options: GuardOptions): Guard {
  const isHost = hostRule(options)
  const isOrigin = createOriginRule(options)
  let good: string | undefined
  return (request) => {
    const host = request.header(Header.host)
    if (host === undefined || request.headerCount(Header.host) > 1) return refuse(400, 'Bad request: one Host header is needed')
    if (host !== good && !isHost(host)) return refuse(403, 'Forbidden: this host is not served here')
    if (!request.target.startsWith('/') && !isHost(authorityOf(request.target)))
      return refuse(403, 'Forbidden: this host is not served here')
    good = host
    const origin = request.header(Header.origin)
    if (origin !== undefined && !isOrigin(origin)) return refuse(403, 'Forbidden: this origin is not allowed')
    return undefined
  }
}

function hostRule({ allowedHosts = LOOPBACK }: GuardOptions): (host: string) => boolean {
  if (allowedHosts === insecureAnyHost) return () => true
  const allowed = new Set(allowedHosts.map((host) => host.toLowerCase()))
  return (host) => {
    const [whole = '', name = ''] = HOST.exec(host.toLowerCase()) ?? []
    return allowed.has(whole) || allowed.has(name)
  }
}

/** Makes the rule that tells which origins may call. */
export function createOriginRule(options: GuardOptions): (origin: string) => boolean {
  const { allowedOrigins, allowedHosts } = options
  if (allowedOrigins === insecureAnyOrigin) return () => true
  if (allowedOrigins) {
    const allowed = new Set(allowedOrigins.map((origin) => origin.toLowerCase().replace(/\/$/, '')))
    return (origin) => allowed.has(origin.toLowerCase())
  }
  const isServed = hostRule(allowedHosts === insecureAnyHost ? {} : options)
  return (origin) => isServed(ORIGIN.exec(origin.toLowerCase())?.[1] ?? '')
}

/** The host of a whole URL as the request target, which counts more than the `Host` header (RFC 9112, section 3.2.2). */
function authorityOf(target: string): string {
  return ABSOLUTE_TARGET.exec(target)?.[1] ?? ''
}

/** The path of a request target, which may be a whole URL. */
export function pathOf(target: string): string {
  const start = target.startsWith('/') ? 0 : target.indexOf('/', target.indexOf('://') + 3)
  return start < 0 ? '/' : (target.slice(start).split('?', 1)[0] ?? '')
}
