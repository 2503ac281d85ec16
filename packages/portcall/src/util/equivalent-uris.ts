/**
 * The spellings of a URI. A rule that denies a URI has to match each text that a server could take for it: servers decode, resolve dot
 * segments, join slashes and ignore case in different ways, and some cut URIs with string functions. All functions take linear time.
 */
import { foldCase } from './fold-case.ts'

const MAX_DECODINGS = 3

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
  try {
    return new URL(uri.replaceAll('\\', '/')).href
  } catch {
    return uri
  }
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
  const plain = text.normalize('NFKC').replaceAll(/%(?:25)+(?=[0-9a-fu])/gi, '%')
  return foldCase(decodeUri(plain).normalize('NFKC')).normalize('NFKC').replaceAll('\\', '/')
}

/** Characters that programs remove from a URI, or do not see in the name of a file. */
const IGNORED = /[\p{Cc}\p{Default_Ignorable_Code_Point}]/gu
const SCHEME = /^([a-z*][a-z0-9+.*-]*):(.*)$/s
const DEFAULT_PORTS: { readonly [scheme: string]: string } = { http: ':80', https: ':443', ws: ':80', wss: ':443', ftp: ':21' }

/**
 * Returns the forms of a URI that `foldUriPattern` is compared with. There is a bounded number of them: with and without the user and the port,
 * with the host as a part of the path, and without what file servers ignore; each with and without a slash at the end.
 */
export function foldUri(uri: string): readonly string[] {
  const text = foldText(uri).replaceAll(IGNORED, '').trim()
  const [, scheme, rest = text] = SCHEME.exec(text) ?? []
  const forms = [rest, rest.split('#', 1)[0] ?? '']
  const [path = '', query] = (forms[1] ?? '').split('?', 2)
  const isFile = scheme?.endsWith('file') === true
  if (query === '' || isFile) forms.push(path)
  const folded = forms.flatMap((form) =>
    foldHierarchy(form, isFile).map((hierarchy) => (scheme === undefined ? hierarchy : `${scheme}:/${hierarchy}`)),
  )
  return [...new Set(folded.flatMap((form) => [form, `${form}/`]))]
}

/**
 * Returns the forms of what follows the scheme, without a slash at the beginning and at the end. Many programs open the path of a file URI,
 * whatever its host is.
 */
function foldHierarchy(rest: string, isFile: boolean): string[] {
  const segments = rest.split('/')
  const parts = segments.filter((segment) => segment !== '')
  const [first = '', ...path] = parts
  const host = asciiHost(first)
  const server = host.slice(host.lastIndexOf('@') + 1)
  const [plainHost = '', port = ''] = server.split(/(?=:\d*$)/)
  const isLocal = rest.startsWith('//') && (isFile || /^(localhost|127\.0\.0\.1|\[::1\])?\.?$/.test(plainHost))
  const tail = resolveSegments(path)
  const whole = resolveSegments(parts)
  const name = plainHost.replace(/(?<!\.)\.+$/, '')
  const hosts = [host, server, plainHost, name, name + port]
  const withHosts = hosts.map((one) => [...(one === '' ? [] : resolveSegments([one])), ...tail].join('/'))
  const forms = [...withHosts, whole.join('/'), ...(isLocal ? [tail.join('/')] : [])]
  return [...forms, ...forms.map(removeParameters)]
}

const MAX_HOST_LENGTH = 253

/** Returns a host with names in the form that the DNS has. */
function asciiHost(host: string): string {
  return host.length <= MAX_HOST_LENGTH && /[^ -~]/.test(host) && URL.canParse(`http://${host}`)
    ? new URL(`http://${host}`).host
    : host
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
 * Returns the form of a pattern with `*` that the forms of a URI are compared with, or `undefined` if the pattern is about the spelling itself:
 * one such as `*%2e*` or `*/ /*` is compared with URIs as they are.
 */
export function foldUriPattern(pattern: string): string | undefined {
  const rest = pattern.replace(/^[^:/]*:\/*/, '')
  if (/\/\/|\\|%(?:25)*(?:2e|2f|5c)/i.test(rest) || rest.split('/').some((segment) => /^\.{1,2}$/.test(segment))) return undefined
  const folded = foldText(pattern)
  const [, scheme, hierarchy = ''] = SCHEME.exec(folded) ?? []
  if (scheme === undefined) return folded
  const path = hierarchy.replace(/^\/*/, '').replace(/(?<!\/)\/+$/, '')
  const [host = '', ...segments] = path.split('/')
  const port = DEFAULT_PORTS[scheme]
  const plainHost = asciiHost(port !== undefined && host.endsWith(port) ? host.slice(0, -port.length) : host)
  const isLocal = hierarchy.startsWith('//') && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(plainHost)
  return `${scheme}:/${(isLocal ? segments : [plainHost, ...segments]).join('/')}`
}
