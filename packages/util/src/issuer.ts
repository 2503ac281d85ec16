import { isStrictUrl } from './strict-url.ts'

/** The scheme, the authority and the rest of a URL as it is written. */
const PARTS = /^(https?):\/\/([^/?#]+)(.*)$/i
const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: ':80', https: ':443' }

/**
 * Returns an issuer identifier in the form in which identifiers are compared and used as keys. Issuers that differ only in the case of scheme
 * and host, in a default port, or in the slash of an empty path have the same form (RFC 3986, sections 6.2.2.1 and 6.2.3). Everything else,
 * also the last slash of a path, counts as it is written. Never send this form: servers expect their identifiers as they wrote them.
 */
export function normalizeIssuer(issuer: string): string {
  const [, scheme = '', authority = '', rest = ''] = isStrictUrl(issuer) ? (PARTS.exec(issuer) ?? []) : []
  if (scheme === '') return issuer
  const [name, host] = [scheme.toLowerCase(), authority.toLowerCase()]
  const port = DEFAULT_PORTS[name] ?? ''
  const path = rest === '/' ? '' : rest.startsWith('/?') ? rest.slice(1) : rest
  return `${name}://${host.endsWith(port) ? host.slice(0, -port.length) : host}${path}`
}

/**
 * Reports whether two texts identify the same issuer. RFC 8414 removes the slash of an empty path before it looks for metadata (section 3.1), so
 * both forms are in use for one server.
 */
export function isSameIssuer(a: string, b: string): boolean {
  return a === b || normalizeIssuer(a) === normalizeIssuer(b)
}
