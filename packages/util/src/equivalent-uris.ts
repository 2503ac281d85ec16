/**
 * The spellings of a URI. A rule that denies a URI has to match each text that a server could take for it: servers decode, resolve dot
 * segments, join slashes and ignore case in different ways, and some cut URIs with string functions. All functions take linear time.
 */

import { foldCase } from './fold-case.ts'
import { LOOPBACK_NAMES } from './loopback-host.ts'
import { parseUrl } from './parse-url.ts'

const MAX_DECODINGS = 3
/** More rounds than any server decodes. */
const MAX_ROUNDS = 8

/** Returns a URI as it is, without escapes, and each of them without dot segments. */
export function equivalentUris(uri: string): readonly string[] {
  const decoded = [uri]
  for (
    let text = decodeUri(uri), last = uri;
    text !== last && decoded.length <= MAX_DECODINGS;
    last = text, text = decodeUri(text)
  )
    decoded.push(text)
  return [...new Set(decoded.flatMap((text) => [text, parseUri(text), decodeUri(parseUri(text))]))]
}

function parseUri(uri: string): string {
  return parseUrl(uri.replaceAll('\\', '/'))?.href ?? uri
}

/** Decodes percent-encoded bytes as lenient servers do: what is not UTF-8 stays in place of the rest, and overlong forms count. */
function decodeUri(text: string): string {
  return text
    .replaceAll(/%c([01])%([89ab][0-9a-f])/gi, (_, high: string, low: string) =>
      String.fromCharCode((Number.parseInt(high, 16) << 6) | (Number.parseInt(low, 16) & 0x3f)),
    )
    .replaceAll(/%u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll(/(?:%[0-9a-f]{2})+/gi, decodeBytes)
}

function decodeBytes(run: string): string {
  try {
    return decodeURIComponent(run)
  } catch {
    return new TextDecoder().decode(Uint8Array.from(run.slice(1).split('%'), (byte) => Number.parseInt(byte, 16)))
  }
}

/** Returns a text such that texts which servers may take for the same become the same: decoded, in one case and Unicode form. */
function foldText(text: string): string {
  const folded = foldCase(decodeAll(text.normalize('NFKC')).normalize('NFKC'))
    .normalize('NFKC')
    .replaceAll('\\', '/')
  // The path after a host is not empty.
  return folded.replace(/^([a-z*][a-z0-9+.*-]*:\/\/[^/?#]*)(?=[?#])/, '$1/')
}

/** Decodes what was encoded several times, but no more than `MAX_ROUNDS` times. */
function decodeAll(text: string): string {
  let decoded = text
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = decoded
    decoded = decodeUri(decoded.replaceAll(/%(?:25)+(?=[0-9a-fu])/gi, '%'))
    if (decoded === before) break
  }
  return decoded
}

/** Reports whether a text was encoded so many times that its forms are not known. */
export function isEncodedTooOften(uri: string): boolean {
  const decoded = decodeAll(uri.normalize('NFKC'))
  return decodeUri(decoded) !== decoded
}

/** Characters that programs remove from a URI, or do not see in the name of a file. */
const IGNORED = /[\p{Cc}\p{Default_Ignorable_Code_Point}]/gu
const SCHEME = /^([a-z*][a-z0-9+.*-]*):(.*)$/s
const DEFAULT_PORTS: { readonly [scheme: string]: string } = { http: ':80', https: ':443', ws: ':80', wss: ':443', ftp: ':21' }

/** A folded URI or pattern in parts. */
interface Parts {
  readonly scheme: string | undefined
  /** Everything between the scheme and the query. */
  readonly path: string
  /** The query and the fragment. */
  readonly tail: string
}

/** Splits a text before its query or fragment. */
function splitTail(text: string): [path: string, tail: string] {
  const at = text.search(/[?#]/)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at)]
}

function partsOf(text: string): Parts {
  const [, scheme, rest = text] = SCHEME.exec(text) ?? []
  const [path, tail] = splitTail(rest)
  return { scheme, path, tail }
}

function foldWhole(uri: string): string {
  return foldText(uri).replaceAll(IGNORED, '').trim()
}

const isFileScheme = (scheme: string | undefined): boolean => scheme?.endsWith('file') === true

/**
 * Returns the forms of a URI that `foldUriPattern` is compared with. There is a bounded number of them: with and without the user and the port,
 * with the host as a part of the path, and without what file servers ignore; each with and without a slash at the end of the path.
 */
export function foldUri(uri: string): readonly string[] {
  const whole = partsOf(foldWhole(uri))
  const [rawPath, rawTail] = splitTail(uri)
  const raw = foldWhole(rawPath)
  const all = [whole]
  // An encoded delimiter is a part of the path for those that parse before they decode.
  if (/[?#]/.test(raw)) all.push({ ...whole, path: SCHEME.exec(raw)?.[2] ?? raw, tail: foldWhole(rawTail) })
  // Servers of files and of schemes of their own may take the query for a part of the path.
  if (whole.tail !== '' && DEFAULT_PORTS[whole.scheme ?? ''] === undefined)
    all.push({ ...whole, path: whole.path + whole.tail, tail: '' })
  return [...new Set(all.flatMap(formsOfParts))]
}

function formsOfParts({ scheme, path, tail }: Parts): string[] {
  const isFile = isFileScheme(scheme)
  const query = tail.split('#', 1)[0] ?? ''
  const tails = query === '' || query === '?' || isFile ? [tail, query, ''] : [tail, query]
  return foldHierarchy(path, isFile).flatMap((hierarchy) => {
    const form = scheme === undefined ? hierarchy : `${scheme}:/${hierarchy}`
    return tails.flatMap((end) => [form + end, `${form}/${end}`])
  })
}

/**
 * Returns the forms of a path with its host, without a slash at the beginning and at the end. Many programs open the path of a file URI, whatever
 * its host is.
 */
function foldHierarchy(path: string, isFile: boolean): string[] {
  const parts = path.split('/').filter((segment) => segment !== '')
  const whole = resolveSegments(parts).join('/')
  if (isFile && !hasAuthority(path)) return [whole, removeParameters(whole)]
  const [first = '', ...rest] = parts
  const host = asciiHost(first)
  const server = host.slice(host.lastIndexOf('@') + 1)
  const [plainHost = '', port = ''] = server.split(/(?=:\d*$)/)
  const tail = resolveSegments(rest)
  const name = plainName(plainHost)
  const hosts = [host, server, plainHost, name, name + port]
  const withHosts = hosts.map((one) => [...(one === '' ? [] : resolveSegments([one])), ...tail].join('/'))
  const forms = [...withHosts, whole, ...(isFile ? [tail.join('/')] : [])]
  return [...forms, ...forms.map(removeParameters)]
}

/** Reports whether a path begins with a host: two slashes, and then no third. */
function hasAuthority(path: string): boolean {
  return /^\/\/[^/]/.test(path)
}

const MAX_HOST_LENGTH = 253

/** Returns a host with names in the form that the DNS has. */
function asciiHost(host: string): string {
  return (host.length <= MAX_HOST_LENGTH && /[^ -~]/.test(host) && parseUrl(`http://${host}`)?.host) || host
}

/** Returns a host without dots at its end, and an address in its shortest form. */
function plainName(host: string): string {
  const name = host.replace(/(?<!\.)\.+$/, '')
  const isAddress = name.length <= MAX_HOST_LENGTH && /^(?:\[[0-9a-f:.]+\]|[0-9][0-9a-fx.]*)$/.test(name)
  const address = (isAddress && parseUrl(`http://${name}`)?.hostname) || name
  const [, high, low] = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(address) ?? []
  if (high === undefined || low === undefined) return address
  return [high, low].flatMap((word) => [Number.parseInt(word, 16) >> 8, Number.parseInt(word, 16) & 0xff]).join('.')
}

/** Resolves dot segments, and removes what file systems ignore at the end of names: dots, spaces, and the parameters of a dot segment. */
function resolveSegments(segments: readonly string[]): string[] {
  const resolved: string[] = []
  for (const segment of segments) {
    const [name] = segment.split(';', 1)
    if (name === '..') resolved.pop()
    else if (name === '.') continue
    else resolved.push(trimName(segment))
  }
  return resolved
}

/** Removes what some servers do not see in the segments of a path: parameters, and streams of files on Windows. */
function removeParameters(path: string): string {
  return path
    .split('/')
    .map((segment) => trimName(segment.split(/;|::?\$/, 1)[0] ?? ''))
    .filter((segment, index) => index === 0 || segment !== '')
    .join('/')
}

/** Removes dots and spaces at the end of a name. */
function trimName(name: string): string {
  let end = name.length
  while (end > 0 && (name[end - 1] === '.' || name[end - 1] === ' ')) end--
  return end === 0 ? name : name.slice(0, end)
}

/**
 * Returns the form of a pattern that the forms of a URI are compared with, or `undefined` if the pattern has `*` and is about the spelling itself:
 * one such as `*%2e*` or `*/ /*` is compared with URIs as they are. A pattern without `*` is a URI.
 */
export function foldUriPattern(pattern: string): string | undefined {
  const isUri = !pattern.includes('*')
  if (!isUri && isAboutSpelling(pattern)) return undefined
  const folded = isUri ? foldWhole(pattern) : foldText(pattern)
  const { scheme, path, tail } = partsOf(folded)
  if (scheme === undefined && !isUri) return folded
  const isFile = isFileScheme(scheme)
  const parts = path
    .replace(/^\/*/, '')
    .replace(/(?<!\/)\/+$/, '')
    .split('/')
  const [first = '', ...rest] = isFile && !hasAuthority(path) ? ['', ...parts] : parts
  const host = patternHost(first, { isUri, port: DEFAULT_PORTS[scheme ?? ''] })
  const isLocal = host === '' || (isFile && LOOPBACK_NAMES.includes(host))
  const segments = isUri ? resolveSegments(rest.filter((segment) => segment !== '')) : rest.map(trimName)
  const hosts = isLocal ? [] : isUri ? resolveSegments([host]) : [host]
  const form = [...hosts, ...segments].join('/') + (tail === '?' || tail === '#' ? '' : tail)
  return scheme === undefined ? form : `${scheme}:/${form}`
}

/** Returns the host of a pattern without a port that is the default one or empty. */
function patternHost(
  host: string,
  { isUri, port = ':' }: { readonly isUri: boolean; readonly port: string | undefined },
): string {
  const withoutEmpty = isUri && host.endsWith(':') ? host.slice(0, -1) : host
  const plain = asciiHost(withoutEmpty.endsWith(port) ? withoutEmpty.slice(0, -port.length) : withoutEmpty)
  return plain.includes('*') ? plain : plainName(plain)
}

/** Reports whether the path of a pattern has what no folded URI has: slashes in a row, escaped dots and slashes, and dot segments. */
function isAboutSpelling(pattern: string): boolean {
  const [path] = splitTail(pattern.replace(/^[^:/]*:\/*/, ''))
  return /\/\/|\\|%(?:25)*(?:2e|2f|5c)/i.test(path) || path.split('/').some((segment) => /^\.{1,2}$/.test(segment))
}
