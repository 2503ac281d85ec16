/**
 * Reads requests of the plainest form: a POST that came whole and alone, written in the one way that all readers of HTTP/1.1 understand
 * alike. Every other request, good or bad, is for Node's own parser. https://www.rfc-editor.org/rfc/rfc9112
 */
import { isAscii, isUtf8 } from 'node:buffer'

/** A plain request. */
export interface PlainRequest {
  /** Path and query. */
  readonly target: string
  /** The headers by their names in lower case; none came twice. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** What a plain request may have at the most, in bytes. */
export interface PlainLimits {
  readonly maxHeaderBytes: number
  readonly maxBodyBytes: number
}

const HEAD = /^POST (\/[!-~]*) HTTP\/1\.1\r\n((?:[\w!#$%&'*+.^`|~-]+:[ -~]*\r\n)+)\r\n/

/** What is longer does not come in two pieces. */
const LENGTH = /^[1-9]\d{0,4}$/

/** A plain request whose body has not come whole. */
export const HALF: unique symbol = Symbol('half')

/** Headers that give a request another body, or want another answer first. */
const NOT_PLAIN = ['transfer-encoding', 'expect', 'upgrade', 'proxy-connection'] as const

/** Reads bytes that are one plain request, or its beginning; gives nothing when they are anything else. */
export function readPlainRequest(bytes: Buffer, limits: PlainLimits): PlainRequest | typeof HALF | undefined {
  const text = bytes.toString('latin1')
  const [head, target, lines] = HEAD.exec(text) ?? []
  if (head === undefined || target === undefined || lines === undefined || head.length > limits.maxHeaderBytes) return undefined
  const headers = readFields(lines)
  if (!headers || !isPlain(headers)) return undefined
  const size = bytes.length - head.length
  const length = headers.get('content-length') ?? ''
  if (length !== String(size)) return LENGTH.test(length) && Number(length) > size ? HALF : undefined
  if (size > limits.maxBodyBytes) return undefined
  if (isAscii(bytes)) return { target, headers, body: text.slice(head.length) }
  return isUtf8(bytes) ? { target, headers, body: bytes.toString('utf8', head.length) } : undefined
}

/** Reads lines that are known to be fields; gives nothing when a name comes twice. */
function readFields(lines: string): Map<string, string> | undefined {
  const fields = new Map<string, string>()
  let count = 0
  for (let at = 0; at < lines.length; count++) {
    const colon = lines.indexOf(':', at)
    const end = lines.indexOf('\r\n', colon)
    fields.set(lines.slice(at, colon).toLowerCase(), lines.slice(colon + 1, end).trim())
    at = end + 2
  }
  return fields.size === count ? fields : undefined
}

function isPlain(headers: ReadonlyMap<string, string>): boolean {
  for (const name of NOT_PLAIN) if (headers.has(name)) return false
  const connection = headers.get('connection')
  return connection === undefined || connection.toLowerCase() === 'keep-alive'
}
