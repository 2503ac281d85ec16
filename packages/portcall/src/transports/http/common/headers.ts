import { InvalidHeaderError } from './invalid-header-error.ts'

/** Alternating header names, in lower case, and values: `['content-type', 'application/json']`. All are valid. */
export type FlatHeaders = readonly string[]

/** Headers by name, in any case. */
export type HeaderRecord = Readonly<Record<string, string>>

/** The names of the headers that MCP uses, in lower case. */
export const Header = {
  accept: 'accept',
  allow: 'allow',
  cacheControl: 'cache-control',
  connection: 'connection',
  contentEncoding: 'content-encoding',
  contentType: 'content-type',
  host: 'host',
  lastEventId: 'last-event-id',
  method: 'mcp-method',
  name: 'mcp-name',
  origin: 'origin',
  protocolVersion: 'mcp-protocol-version',
  retryAfter: 'retry-after',
  sessionId: 'mcp-session-id',
  wwwAuthenticate: 'www-authenticate',
} as const

/** The headers of JSON responses. */
export const JSON_HEADERS: FlatHeaders = ['content-type', 'application/json', 'cache-control', 'no-store']

/** The headers of event streams. They forbid intermediaries to cache, transform or buffer the stream. */
export const EVENT_HEADERS: FlatHeaders = [
  'content-type',
  'text/event-stream',
  'cache-control',
  'no-store, no-transform',
  'x-accel-buffering',
  'no',
]

/** The headers of responses without a body. */
export const EMPTY_HEADERS: FlatHeaders = ['cache-control', 'no-store']

const NAME = /^[\w!#$%&'*+.^`|~-]+$/
const VALUE = /^[\t -~\x80-\xff]*$/

/** @throws InvalidHeaderError unless the name is a token, and the value has no line breaks and no characters beyond Latin-1. */
export function checkHeader(name: string, value: string): void {
  if (!NAME.test(name)) throw new InvalidHeaderError(name, 'its name may contain letters, digits and hyphens only')
  if (typeof value !== 'string') throw new InvalidHeaderError(name, `its value is ${typeof value}, not a string`)
  if (!VALUE.test(value)) throw new InvalidHeaderError(name, reasonOf(value))
}

/** Names the first character that a header cannot carry. */
function reasonOf(value: string): string {
  const at = [...value].findIndex((character) => !VALUE.test(character))
  const codePoint = [...value][at]?.codePointAt(0) ?? 0
  const name = `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`
  const place = `character ${at + 1} of its value is ${name}`
  if (codePoint < 0x100) return `${place}, a control character`
  return `${place}, and headers carry Latin-1 only. Encode the value, for example with encodeURIComponent`
}

/** Headers that the HTTP server sets itself. */
const MANAGED_HEADERS: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding', 'date'])

/** Returns headers with names in lower case, without those that the HTTP server sets itself. @throws TypeError for an invalid name or value. */
export function validateHeaders(headers: HeaderRecord): HeaderRecord {
  const valid: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (!NAME.test(name)) throw new TypeError(`Invalid header name: ${JSON.stringify(name)}`)
    if (!VALUE.test(value)) throw new TypeError(`Invalid value of the header ${name}: ${JSON.stringify(value)}`)
    if (!MANAGED_HEADERS.has(name.toLowerCase())) valid[name.toLowerCase()] = value
  }
  return valid
}

/** Does the same as `validateHeaders`, and flattens the headers. @throws TypeError for an invalid name or value. */
export function flattenHeaders(headers: HeaderRecord): FlatHeaders {
  return Object.entries(validateHeaders(headers)).flat()
}
