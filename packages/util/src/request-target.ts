/**
 * Parses the target of an HTTP request (RFC 9112, section 3.2): a path with an optional query, an absolute URL, an authority or `*`. Targets
 * are remote text: no function here throws, and a path is compared as it was sent, so nothing is resolved or decoded.
 */

/** Returns the path of a request target: `/` if it has none. */
export function pathOf(target: string): string {
  const [path = ''] = target.split('?', 1)
  if (path.startsWith('/')) return path
  const authority = path.indexOf('://')
  const start = authority < 0 ? -1 : path.indexOf('/', authority + 3)
  return start < 0 ? '/' : path.slice(start)
}

/** Returns the parameters of a request target. */
export function queryOf(target: string): URLSearchParams {
  const start = target.indexOf('?')
  return new URLSearchParams(start < 0 ? '' : target.slice(start + 1))
}
