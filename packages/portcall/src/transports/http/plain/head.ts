import { STATUS_CODES } from 'node:http'
import { type FlatHeaders, Header } from '../headers.ts'

const SECOND_MS = 1000
/** Answers of these have no body, and say nothing of its size (RFC 9110, section 8.6). */
const WITHOUT_BODY: readonly number[] = [204, 304]
const CLOSE = /(?:^|\W)close(?:$|\W)/i

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
  readonly connection: string
}

/** Writes the head of an answer. */
export function writeHead({ status, headers, size, connection }: Head): string {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}\r\nDate: ${dateNow()}\r\n`
  for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`
  if (hasBody(status)) head += `content-length: ${size}\r\n`
  if (connectionIn(headers) === undefined) head += `Connection: ${connection}\r\n`
  return `${head}\r\n`
}

/** Tells whether an answer of this status has a body. */
export function hasBody(status: number): boolean {
  return !WITHOUT_BODY.includes(status)
}

/** Tells whether headers of an answer close its connection. */
export function closes(headers: FlatHeaders): boolean {
  return CLOSE.test(connectionIn(headers) ?? '')
}

function connectionIn(headers: FlatHeaders): string | undefined {
  for (let at = 0; at < headers.length; at += 2) if (headers[at] === Header.connection) return headers[at + 1]
  return undefined
}
