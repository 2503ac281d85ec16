const WELL_KNOWN = '/.well-known/'
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/

/** The server that is protected, by its URL. */
export interface Resource {
  /** As it stands in metadata and tokens: no fragment, no slash after a bare host. */
  readonly uri: string
  readonly origin: string
  readonly host: string
  readonly path: string
  /** Where its metadata is, as challenges tell it. */
  readonly metadataUrl: string
  /** The paths at which its metadata is served: the one of this resource, and the root. */
  readonly metadataPaths: readonly string[]
}

/**
 * Reads the URL that clients reach a server by.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#canonical-server-uri
 *
 * @throws TypeError when it cannot name a resource.
 */
export function readResource(text: string): Resource {
  const url = readHttps('resource', text)
  const path = url.pathname
  const paths = ['', path === '/' ? '' : path].map((suffix) => `${WELL_KNOWN}oauth-protected-resource${suffix}`)
  const metadataPaths = [...new Set(paths)]
  const uri = canonical(url)
  const metadataUrl = url.origin + (metadataPaths.at(-1) ?? '')
  return { uri, origin: url.origin, host: url.host, path, metadataUrl, metadataPaths }
}

/** Reads a URL of the configuration. @throws TypeError unless it is https, or on this machine, without fragment and password. */
export function readHttps(name: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname))
  if (!url || !isSafe) throw new TypeError(`${name} has to be an https URL (http on this machine), not ${JSON.stringify(text)}`)
  if (url.hash || text.includes('#')) throw new TypeError(`${name} must not have a fragment: ${JSON.stringify(text)}`)
  if (url.username || url.password) throw new TypeError(`${name} must not have a name or a password in it`)
  return url
}

/** Tells whether two URIs name the same resource: case of scheme and host, a default port and a slash at the end do not matter. */
export function isSameResource(a: string, b: string): boolean {
  return a === b || (URL.canParse(a) && URL.canParse(b) && trimmed(new URL(a)) === trimmed(new URL(b)))
}

/** The path of a request target, which may be a whole URL. */
export function pathOf(target: string): string {
  return target.startsWith('/') ? (target.split('?', 1)[0] ?? '/') : URL.canParse(target) ? new URL(target).pathname : '/'
}

function canonical(url: URL): string {
  return url.pathname === '/' ? url.origin + url.search : url.origin + url.pathname + url.search
}

function trimmed(url: URL): string {
  return url.origin + url.pathname.replace(/\/$/, '') + url.search + url.hash
}
