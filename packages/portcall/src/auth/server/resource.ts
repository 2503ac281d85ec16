import { isLoopbackHost } from '../../../../util/src/loopback-host.ts'
import { parseUrl } from '../../../../util/src/parse-url.ts'
import { isStrictUrl } from '../../../../util/src/strict-url.ts'

const WELL_KNOWN = '/.well-known/'

/** A protected server, identified by its URL. */
export interface ProtectedResource {
  /** The resource identifier in metadata and tokens: without a fragment, and without a slash after a bare host. */
  readonly uri: string
  readonly origin: string
  readonly host: string
  readonly path: string
  /** The URL of its metadata, as in challenges. */
  readonly metadataUrl: string
  /** The paths at which its metadata is served: for the path of the resource, and for the root. */
  readonly metadataPaths: readonly string[]
}

/**
 * Parses the URL of a protected server.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#canonical-server-uri
 *
 * @throws TypeError if the URL cannot identify a resource.
 */
export function parseResource(text: string): ProtectedResource {
  const url = parseSecureUrl('resource', text)
  const path = url.pathname
  const paths = ['', path === '/' ? '' : path].map((suffix) => `${WELL_KNOWN}oauth-protected-resource${suffix}`)
  const metadataPaths = [...new Set(paths)]
  const uri = canonical(url)
  const metadataUrl = url.origin + (metadataPaths.at(-1) ?? '')
  return { uri, origin: url.origin, host: url.host, path, metadataUrl, metadataPaths }
}

/** Parses a URL of the configuration. @throws TypeError unless it uses https, or http on loopback, without fragment and credentials. */
export function parseSecureUrl(name: string, text: string): URL {
  const url = parseUrl(text)
  const isSecure = url?.protocol === 'https:' || (url && isLoopbackUrl(url))
  if (!url || !isSecure) throw new TypeError(`${name} must be an https URL (or http on loopback): ${JSON.stringify(text)}`)
  if (url.hash || text.includes('#')) throw new TypeError(`${name} must not have a fragment: ${JSON.stringify(text)}`)
  if (url.username || url.password) throw new TypeError(`${name} must not contain a user name or a password`)
  return url
}

/** Reports whether a URL uses http and a loopback host. */
export function isLoopbackUrl(url: string | URL): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' && isLoopbackHost(hostname)
}

/**
 * Reports whether two URIs identify the same resource: the case of scheme and host, default ports and a trailing slash are ignored. A URI that
 * is not a strict URL is the same only as itself.
 */
export function isSameResource(a: string, b: string): boolean {
  return a === b || (isStrictUrl(a) && isStrictUrl(b) && normalized(new URL(a)) === normalized(new URL(b)))
}

function canonical(url: URL): string {
  return url.pathname === '/' ? url.origin + url.search : url.origin + url.pathname + url.search
}

function normalized(url: URL): string {
  return url.origin + url.pathname.replace(/\/$/, '') + url.search
}
