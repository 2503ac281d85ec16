/**
 * Protects servers against requests of foreign web pages. Any page can make a browser send requests to `localhost`; with DNS rebinding, a
 * name that resolves to 127.0.0.1, it can read the responses too. Therefore the `Host` header must name this server, and `Origin`, if a
 * browser sent it, must be allowed.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports#security-warning
 */

import { LOOPBACK_NAMES } from '../../../../../util/src/loopback-host.ts'
import { Header } from '../common/headers.ts'
import { type HttpError, httpError } from './http-error.ts'
import type { HttpRequest } from './types.ts'

/** Disables the `Host` check: any web page can then reach this server through DNS rebinding, unless a proxy in front prevents it. */
export const insecureAnyHost: unique symbol = Symbol('insecureAnyHost')

/** Disables the `Origin` check: any web page can then call this server from the browser of its visitor. */
export const insecureAnyOrigin: unique symbol = Symbol('insecureAnyOrigin')

/** The allowed values of `Host` and `Origin`. */
export interface HostCheckOptions {
  /**
   * Names of this server, with or without a port: `api.example.com`, `api.example.com:8443`, `[::1]`. A name without a port allows all
   * ports. Default: the loopback names.
   */
  readonly allowedHosts?: readonly string[] | typeof insecureAnyHost
  /** Origins of web pages that may call: `https://app.example.com`. Default: all origins on the allowed hosts. */
  readonly allowedOrigins?: readonly string[] | typeof insecureAnyOrigin
}

/** Checks `Host` and `Origin` of a request. @throws HttpError 400 or 403. */
export type HostCheck = (request: Pick<HttpRequest, 'host' | 'target' | 'header'>) => void

const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/
const ORIGIN = /^https?:\/\/([^/]*)$/
const ANY_ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/]+\/?$/i
const ABSOLUTE_TARGET = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i

/** Creates the check that every request must pass first. */
export function createHostCheck(options: HostCheckOptions): HostCheck {
  checkOptions(options)
  const isAllowedHost = createHostRule(options)
  const isAllowedOrigin = createOriginCheck(options)
  let lastAllowed: string | undefined
  return ({ host, target, header }) => {
    if (host === undefined) throw httpError(400, 'Bad request: send exactly one Host header')
    if (host !== lastAllowed && !isAllowedHost(host)) throw forbidden('host', host, 'allowedHosts')
    if (!target.startsWith('/') && !isAllowedHost(authorityOf(target)))
      throw forbidden('host', authorityOf(target), 'allowedHosts')
    lastAllowed = host
    const origin = header(Header.origin)
    if (origin !== undefined && !isAllowedOrigin(origin)) throw forbidden('origin', origin, 'allowedOrigins')
  }
}

/** Refuses values that would never match. @throws TypeError. */
function checkOptions({ allowedHosts, allowedOrigins }: HostCheckOptions): void {
  for (const host of listOf('allowedHosts', allowedHosts))
    if (/[/*]/.test(host))
      throw new TypeError(`allowedHosts: ${JSON.stringify(host)} is not a host name, such as 'api.example.com'`)
  for (const origin of listOf('allowedOrigins', allowedOrigins))
    if (!ANY_ORIGIN.test(origin))
      throw new TypeError(`allowedOrigins: ${JSON.stringify(origin)} is not an origin, such as 'https://app.example.com'`)
}

function listOf(option: string, value: readonly string[] | symbol | undefined): readonly string[] {
  if (value === undefined || typeof value === 'symbol') return []
  if (Array.isArray(value)) return value
  throw new TypeError(`${option} must be an array of strings, such as [${JSON.stringify(value)}]`)
}

const MAX_NAME_LENGTH = 100

function forbidden(kind: string, name: string, option: keyof HostCheckOptions): HttpError {
  return httpError(
    403,
    `Forbidden: the ${kind} ${name.slice(0, MAX_NAME_LENGTH)} is not allowed. The server has to list it in ${option}`,
  )
}

function createHostRule({ allowedHosts = LOOPBACK_NAMES }: HostCheckOptions): (host: string) => boolean {
  if (allowedHosts === insecureAnyHost) return () => true
  const allowed = new Set(allowedHosts.map((host) => host.toLowerCase()))
  return (host) => {
    const [hostAndPort = '', name = ''] = HOST.exec(host.toLowerCase()) ?? []
    return allowed.has(hostAndPort) || allowed.has(name)
  }
}

/** Creates the function that reports whether pages of an origin may call. */
export function createOriginCheck(options: HostCheckOptions): (origin: string) => boolean {
  const { allowedOrigins, allowedHosts } = options
  if (allowedOrigins === insecureAnyOrigin) return () => true
  if (allowedOrigins) {
    const allowed = new Set(allowedOrigins.map((origin) => origin.toLowerCase().replace(/\/$/, '')))
    return (origin) => allowed.has(origin.toLowerCase())
  }
  const isAllowedHost = createHostRule(allowedHosts === insecureAnyHost ? {} : options)
  return (origin) => isAllowedHost(ORIGIN.exec(origin.toLowerCase())?.[1] ?? '')
}

/** Returns the host of an absolute request target, which takes precedence over the `Host` header (RFC 9112, section 3.2.2). */
function authorityOf(target: string): string {
  return ABSOLUTE_TARGET.exec(target)?.[1] ?? ''
}
