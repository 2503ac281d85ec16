/**
 * Decides which names the arguments of a model may give to members of a request. A server takes the first of two members of one name, or the
 * last, or joins them. Therefore a name that the configuration or the description sets is never sent a second time.
 */

/** Where a parameter is sent. `querystring` is the whole query. */
export type ParameterPlace = 'path' | 'query' | 'header' | 'cookie' | 'querystring'

/** Where a member is sent. Servers merge the fields of forms with the query. */
export type MemberPlace = Exclude<ParameterPlace, 'path' | 'querystring'>

/** The names of members that are set in a request, by place. */
export interface ReservedNames {
  /** Reports whether a member of this place has the name, as servers compare names. */
  has(place: MemberPlace, name: string): boolean
  /** Reports whether a member of any place has the name. */
  hasAnywhere(name: string): boolean
}

/** Lists names by place. */
export type NamesByPlace = { readonly [place in MemberPlace]?: Iterable<string> }

const PLACES: readonly MemberPlace[] = ['query', 'header', 'cookie']

/** Creates the set of the names of several lists. */
export function createReservedNames(...lists: readonly NamesByPlace[]): ReservedNames {
  const names = new Map(
    PLACES.map((place) => [place, new Set(lists.flatMap((list) => Array.from(list[place] ?? [], comparableName)))]),
  )
  return {
    has: (place, name) => names.get(place)?.has(comparableName(name)) === true,
    hasAnywhere: (name) => PLACES.some((place) => names.get(place)?.has(comparableName(name))),
  }
}

/**
 * Returns a text such that names which a server may take for the same become the same: frameworks ignore case, read `a[]`, `a[0]` and `a[b]`
 * as parts of `a`, and take `.`, `-` and spaces for `_`.
 */
function comparableName(name: string): string {
  const text = name.normalize('NFKC').replaceAll('\0', '').trim()
  const end = text.indexOf('[', 1)
  return text
    .slice(0, end < 0 ? undefined : end)
    .replaceAll(/[\s.\-+[\]]/g, '_')
    .toLowerCase()
}

/** Returns the names that the configuration sets: in the query of the base URL, and in headers. */
export function configuredNames(baseUrl: URL, headers: Readonly<Record<string, string>>): NamesByPlace {
  const cookies = Object.entries(headers).filter(([name]) => name.toLowerCase() === 'cookie')
  return {
    query: namesOfQuery(baseUrl.search),
    header: Object.keys(headers),
    cookie: cookies.flatMap(([, value]) => namesOfCookies(value)),
  }
}

/** Returns the names of the members of a query. */
export function namesOfQuery(query: string): string[] {
  return [...new URLSearchParams(query).keys()]
}

/** Returns the names of the cookies in the value of a `Cookie` header. */
function namesOfCookies(header: string): string[] {
  return header
    .split(';')
    .map((pair) => pair.split('=', 1)[0]?.trim() ?? '')
    .filter(Boolean)
}

/** The headers that the HTTP client sets, and those that change what a request is. https://fetch.spec.whatwg.org/#forbidden-request-header */
const FORBIDDEN_HEADERS: ReadonlySet<string> = new Set([
  ...['accept', 'accept-charset', 'accept-encoding', 'authorization', 'connection', 'content-length', 'content-type'],
  ...['cookie', 'cookie2', 'date', 'dnt', 'expect', 'host', 'http2-settings'],
  ...['keep-alive', 'origin', 'referer', 'set-cookie', 'set-cookie2', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'via'],
  ...['x-http-method', 'x-http-method-override', 'x-method-override'],
])
const FORBIDDEN_PREFIX = /^(proxy-|sec-|access-control-|:)/

/** Reports whether a header is never sent with a value of the model. */
export function isForbiddenHeader(name: string): boolean {
  // Gateway interfaces such as WSGI do not tell `_` from `-`.
  const folded = name.trim().toLowerCase().replaceAll('_', '-')
  return FORBIDDEN_HEADERS.has(folded) || FORBIDDEN_PREFIX.test(folded)
}
