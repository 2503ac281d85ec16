/*
 * URIs that several servers use, or that a gateway cannot attribute otherwise, get the name of their server in front of the scheme:
 * `file:///a.txt` of the server `docs` becomes `docs+file:///a.txt`. The same works for URI templates, and for gateways behind gateways. Hosts
 * know user interfaces and skills by their scheme, so these keep it: `ui://chart/main` becomes `ui://docs+/chart/main`.
 */

const SCHEME_SAFE = /^[a-z][a-z0-9.-]*$/

const KEPT_SCHEME = /^((?:ui|skill):\/\/)(.*)$/is
const MARKED_AUTHORITY = /^([^/+]+)\+\/(.*)$/s

/** Marks the URIs of one gateway's servers, and recognizes them. */
export interface UriRoutes {
  /** Returns the URI, or template, with the mark of its server. */
  mark(server: string, uri: string): string
  /** Returns the URI of a view with the mark of its server. Those of the server that others are mounted on stay as they are. */
  markView(server: string, uri: string): string
  /** Returns the server of a marked URI and the URI on the server. Returns `undefined` for a URI without a mark. */
  unmark(uri: string): { readonly server: string; readonly uri: string } | undefined
}

/** The URIs of a single server do not change. */
const UNMARKED: UriRoutes = {
  mark: (_server, uri) => uri,
  markView: (_server, uri) => uri,
  unmark: () => undefined,
}

/** Creates the routes of servers. A server whose name cannot be part of a scheme is marked with the characters of its name as numbers. */
export function createUriRoutes(servers: readonly string[]): UriRoutes {
  if (servers.length === 1) return UNMARKED
  const marks = new Map(servers.map((server) => [server, markOf(server)]))
  const byMark = new Map([...marks].map(([server, mark]) => [mark, server]))
  const routes: UriRoutes = {
    markView: (server, uri) => (server === '' && !routes.unmark(uri) ? uri : routes.mark(server, uri)),
    mark(server, uri) {
      const mark = marks.get(server) ?? markOf(server)
      const [, scheme, rest] = KEPT_SCHEME.exec(uri) ?? []
      return scheme === undefined ? `${mark}+${uri}` : `${scheme}${mark}+/${rest}`
    },
    unmark(uri) {
      const [, scheme, marked = ''] = KEPT_SCHEME.exec(uri) ?? []
      if (scheme !== undefined) {
        const [, mark = '', rest = ''] = MARKED_AUTHORITY.exec(marked) ?? []
        const owner = byMark.get(mark.toLowerCase())
        return owner === undefined ? undefined : { server: owner, uri: scheme + rest }
      }
      const at = uri.indexOf('+')
      const server = at < 1 ? undefined : byMark.get(uri.slice(0, at).toLowerCase())
      return server === undefined ? undefined : { server, uri: uri.slice(at + 1) }
    },
  }
  return routes
}

/** Returns a different text for each name. Names that are no scheme, or look like the replacement of one, are replaced. */
function markOf(server: string): string {
  if (SCHEME_SAFE.test(server) && !/^x-[0-9a-f.]*$/.test(server)) return server
  return `x-${Array.from(server, (character) => character.codePointAt(0)?.toString(16)).join('.')}`
}
