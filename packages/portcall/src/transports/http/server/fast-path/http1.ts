/**
 * The HTTP/1.1 wire format of the fast path (RFC 9112). It reads only simple requests: a POST that arrived completely and alone, in a
 * form that no HTTP implementation reads differently. All other requests, valid or not, are left to Node's parser.
 * https://www.rfc-editor.org/rfc/rfc9112
 */
import { isAscii, isUtf8 } from 'node:buffer'
import { STATUS_CODES } from 'node:http'
import { type FlatHeaders, Header } from '../../common/headers.ts'

/** A simple request. */
export interface SimpleRequest {
  /** Path and query. */
  readonly target: string
  /** The headers by their names in lower case; no name was sent twice. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** The limits of a simple request, in bytes. */
export interface SimpleRequestLimits {
  readonly maxHeaderBytes: number
  readonly maxBodyBytes: number
}

const HEAD = /^POST (\/[!-~]*) HTTP\/1\.1\r\n((?:[\w!#$%&'*+.^`|~-]+:[ -~]*\r\n)+)\r\n/

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
  const [head, target, lines] = HEAD.exec(text) ?? []
  if (head === undefined || target === undefined || lines === undefined || head.length > limits.maxHeaderBytes) return undefined
  const headers = new Map<string, string>()
  let count = 0
  for (let at = 0; at < lines.length; count++) {
    const colon = lines.indexOf(':', at)
    const end = lines.indexOf('\r\n', colon)
    headers.set(lines.slice(at, colon).toLowerCase(), lines.slice(colon + 1, end).trim())
    at = end + 2
  }
  if (headers.size !== count || headers.has('transfer-encoding') || headers.has('expect')) return undefined
  if (headers.has('upgrade') || headers.has('proxy-connection')) return undefined
  if ((headers.get('connection') ?? 'keep-alive').toLowerCase() !== 'keep-alive') return undefined
  const size = bytes.length - head.length
  const length = headers.get('content-length') ?? ''
  if (size > limits.maxBodyBytes || Number(length) > limits.maxBodyBytes) return undefined
  if (length !== String(size)) return CONTENT_LENGTH.test(length) && Number(length) > size ? INCOMPLETE : undefined
  if (isAscii(bytes)) return { target, headers, body: text.slice(head.length) }
  return isUtf8(bytes) ? { target, headers, body: bytes.toString('utf8', head.length) } : undefined
}

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
