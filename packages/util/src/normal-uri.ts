import { parseUrl } from './parse-url.ts'

/** The default ports of schemes (RFC 3986, section 6.2.3). */
const DEFAULT_PORTS: { readonly [scheme: string]: string } = { http: '80', https: '443', ws: '80', wss: '443', ftp: '21' }
const PARTS = /^([A-Za-z][A-Za-z0-9+.-]*):(?:\/\/([^/?#]*))?([^?#]*)(.*)$/s
/** Characters that a URI cannot contain (RFC 3986, section 2), and `'`, which browsers and libraries encode in queries. */
const TO_ENCODE = /[^!#$%&()*+,\-./0-9:;=?@A-Z[\]_a-z~]+/gu
/** Longer names do not exist, and would take long to convert. */
const MAX_HOST_LENGTH = 253
const UNRESERVED = /^[A-Za-z0-9\-._~]$/

/**
 * Returns the normal form of a URI: clients that parse URIs send them in this form, or in between. The scheme and the host are in lower case,
 * what has to be encoded is encoded, and nothing else; the path of a URI with a host is not empty, and default ports are left out. Dot segments
 * stay. A text that is no URI is returned as it is. https://www.rfc-editor.org/rfc/rfc3986#section-6.2
 */
export function normalUri(uri: string): string {
  const [, scheme, authority, path = '', rest = ''] = PARTS.exec(uri) ?? []
  if (scheme === undefined) return uri
  const name = scheme.toLowerCase()
  const tail = normalText(path) + normalText(rest)
  const hasAuthority = authority !== undefined || (name === 'file' && path.startsWith('/'))
  if (!hasAuthority) return `${name}:${tail}`
  return `${name}://${normalAuthority(name, authority ?? '')}${path === '' ? '/' : ''}${tail}`
}

/** Encodes what has to be encoded, and decodes what has not. */
export function normalText(text: string): string {
  return text
    .replaceAll(/%(?![0-9A-Fa-f]{2})/g, '%25')
    .replaceAll(TO_ENCODE, (part) => Array.from(new TextEncoder().encode(part), percentEncode).join(''))
    .replaceAll(/%[0-9A-Fa-f]{2}/g, (triplet) => {
      const character = String.fromCharCode(Number.parseInt(triplet.slice(1), 16))
      return UNRESERVED.test(character) ? character : triplet.toUpperCase()
    })
}

function percentEncode(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
}

function normalAuthority(scheme: string, authority: string): string {
  const at = authority.lastIndexOf('@') + 1
  // What has another colon is no host, and is left as it is.
  const [, host = authority.slice(at), port = ''] = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(authority.slice(at)) ?? []
  const name = normalHost(scheme, host)
  return normalText(authority.slice(0, at)) + name + (port === '' || port === DEFAULT_PORTS[scheme] ? '' : `:${port}`)
}

function normalHost(scheme: string, host: string): string {
  const name = normalText(host)
    .toLowerCase()
    .replaceAll(/%[0-9a-f]{2}/g, (triplet) => triplet.toUpperCase())
  if (scheme === 'file' && name === 'localhost') return ''
  if (DEFAULT_PORTS[scheme] === undefined || !name.includes('%')) return name
  // The names of these schemes are domain names, which libraries encode as such.
  return (host.length <= MAX_HOST_LENGTH && parseUrl(`http://${host}`)?.hostname) || name
}

/**
 * Creates the function that finds an item of a list by a URI in another spelling. The index of a list is made when it is first needed, and
 * dropped with the list, which must not change.
 */
export function createUriLookup<List extends object, Item>(
  entriesOf: (list: List) => Iterable<readonly [uri: string, item: Item]>,
): (list: List, uri: string) => Item | undefined {
  const indexes = new WeakMap<List, ReadonlyMap<string, Item>>()
  const createIndex = (list: List): ReadonlyMap<string, Item> => {
    const index = new Map<string, Item>()
    for (const [uri, item] of entriesOf(list)) {
      const normal = normalUri(uri)
      if (!index.has(normal)) index.set(normal, item)
    }
    indexes.set(list, index)
    return index
  }
  return (list, uri) => (indexes.get(list) ?? createIndex(list)).get(normalUri(uri))
}
