/**
 * The HTTP/1.1 wire format of the fast path (RFC 9112). It reads only simple requests: a POST, or a GET without a body, that arrived completely and
 * alone, in a form that no HTTP implementation reads differently. All other requests, valid or not, are left to Node's parser.
 * https://www.rfc-editor.org/rfc/rfc9112
 */
import { isAscii, isUtf8 } from 'node:buffer'
import { STATUS_CODES } from 'node:http'
import { type FlatHeaders, Header } from '../../common/headers.ts'

/** Headers by their names in lower case. No name was sent twice. */
export interface RequestHeaders extends Iterable<[name: string, value: string]> {
  get(name: string): string | undefined
}

/** A simple request. */
export interface SimpleRequest {
  /** `GET` or `POST`. */
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly headers: RequestHeaders
  readonly body: string
}

/** The limits of a simple request, in bytes. */
export interface SimpleRequestLimits {
  readonly maxHeaderBytes: number
  readonly maxBodyBytes: number
}

const HEAD = /^(GET|POST) (\/[!-~]*) HTTP\/1\.1\r\n((?:[\w!#$%&'*+.^`|~-]+:[ -~]*\r\n)+)\r\n/

/** The content length of a request that may arrive in two chunks. */
const CONTENT_LENGTH = /^[1-9]\d{0,4}$/

/** The result for a simple request whose body is incomplete. */
export const INCOMPLETE: unique symbol = Symbol('incomplete')

/**
 * Parses one simple request. Returns undefined for anything else: requests with a repeated header, with another framing, that expect an interim
 * response, or that close the connection.
 */
export function parseRequest(bytes: Buffer, limits: SimpleRequestLimits): SimpleRequest | typeof INCOMPLETE | undefined {
  const text = bytes.toString('latin1')
  const [head, method, target, lines] = HEAD.exec(text) ?? []
  if (head === undefined || !method || !target || !lines || head.length > limits.maxHeaderBytes) return undefined
  const headers = parseHeaders(lines)
  if (!headers) return undefined
  const size = bytes.length - head.length
  const length = headers.get('content-length')
  if (method === 'GET') return size === 0 && length === undefined ? { method, target, headers, body: '' } : undefined
  if (size > limits.maxBodyBytes || Number(length) > limits.maxBodyBytes) return undefined
  if (length !== String(size)) return CONTENT_LENGTH.test(length ?? '') && Number(length) > size ? INCOMPLETE : undefined
  if (isAscii(bytes)) return { method, target, headers, body: text.slice(head.length) }
  return isUtf8(bytes) ? { method, target, headers, body: bytes.toString('utf8', head.length) } : undefined
}

/** Parses the header lines of a request. Returns undefined if it is not simple. */
function parseHeaders(lines: string): ReadonlyMap<string, string> | undefined {
  const headers = new Map<string, string>()
  let count = 0
  for (let at = 0; at < lines.length; count++) {
    const colon = lines.indexOf(':', at)
    const end = lines.indexOf('\r\n', colon)
    headers.set(lines.slice(at, colon).toLowerCase(), lines.slice(colon + 1, end).trim())
    at = end + 2
  }
  const connection = headers.get('connection') ?? KEEP_ALIVE
  if (headers.size !== count || connection.toLowerCase() !== KEEP_ALIVE) return undefined
  for (const name of OTHERWISE_HANDLED) if (headers.has(name)) return undefined
  return headers
}

const KEEP_ALIVE = 'keep-alive'

/** The headers of requests that Node handles in another way. */
const OTHERWISE_HANDLED = ['transfer-encoding', 'expect', 'upgrade', 'proxy-connection']

const SECOND_MS = 1000

/** The current `Date` header, formatted once a second. */
let date = ''
let dateSecond = 0

/** The parts of a response head. */
export interface ResponseHead {
  readonly status: number
  readonly headers: FlatHeaders
  /** The size of the body in bytes; undefined if responses with this status have none. */
  readonly size: number | undefined
  /** The `Connection` header, unless it is among `headers`. */
  readonly connection: string | undefined
}

/** Formats the head of a response. */
export function formatHead({ status, headers, size, connection }: ResponseHead): string {
  const second = Math.floor(Date.now() / SECOND_MS)
  if (second !== dateSecond) {
    dateSecond = second
    date = new Date(second * SECOND_MS).toUTCString()
  }
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}\r\nDate: ${date}\r\n`
  for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`
  if (size !== undefined) head += `content-length: ${size}\r\n`
  if (connection !== undefined) head += `Connection: ${connection}\r\n`
  return `${head}\r\n`
}

/** The statuses of responses without a body and without `Content-Length` (RFC 9110, section 8.6). */
export const BODILESS_STATUSES: ReadonlySet<number> = new Set([204, 304])

const CLOSE = /(?:^|\W)close(?:$|\W)/i

/** Reports whether a `Connection` header among the headers closes the connection. */
export function hasConnectionClose(headers: FlatHeaders): boolean {
  for (let at = 0; at < headers.length; at += 2)
    if (headers[at] === Header.connection) return CLOSE.test(headers[at + 1] as string)
  return false
}
