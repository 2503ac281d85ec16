import { STATUS_CODES } from 'node:http'
import { type FlatHeaders, Header } from '../headers.ts'

const SECOND_MS = 1000
/** Its answers have no body, and must not tell the size of one (RFC 9110, section 8.6). */
const NO_CONTENT = 204

let date = ''
let dateSecond = 0

/** The time as HTTP writes it, made once a second. */
function dateNow(): string {
  const second = Math.floor(Date.now() / SECOND_MS)
  if (second === dateSecond) return date
  dateSecond = second
  date = new Date(second * SECOND_MS).toUTCString()
  return date
}

/** How the head of an answer is written. */
export interface Head {
  readonly status: number
  readonly headers: FlatHeaders
  /** Bytes of the body. */
  readonly size: number
  /** What it says of the connection, unless its headers say it. */
  readonly connection: string | undefined
}

/** Writes the head of an answer. */
export function writeHead({ status, headers, size, connection }: Head): string {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}\r\nDate: ${dateNow()}\r\n`
  for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`
  if (status !== NO_CONTENT) head += `content-length: ${size}\r\n`
  if (connection) head += `Connection: ${connection}\r\n`
  return `${head}\r\n`
}

/** Tells whether headers of an answer close its connection. */
export function closes(headers: FlatHeaders): boolean {
  const at = headers.indexOf(Header.connection)
  return at >= 0 && headers[at + 1]?.toLowerCase() === 'close'
}
