/** Header names, in lower case, and values in turn: `['content-type', 'application/json']`. All of them can be written as they are. */
export type FlatHeaders = readonly string[]

/** Headers by their names, in any case. */
export type NamedHeaders = Readonly<Record<string, string>>

/** The headers that MCP reads and writes, in lower case. */
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

/** The head of every JSON answer. */
export const JSON_HEADERS: FlatHeaders = ['content-type', 'application/json', 'cache-control', 'no-store']

/** The head of every stream: nothing between here and the reader may keep, change or gather it. */
export const EVENT_HEADERS: FlatHeaders = [
  'content-type',
  'text/event-stream',
  'cache-control',
  'no-store, no-transform',
  'x-accel-buffering',
  'no',
]

/** The head of an answer without a body. */
export const EMPTY_HEADERS: FlatHeaders = ['cache-control', 'no-store']

const NAME = /^[\w!#$%&'*+.^`|~-]+$/
const VALUE = /^[\t -~\x80-\xff]*$/

/** What the carrier writes. */
const OURS: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding', 'date'])

/** Takes headers that somebody else has made, without those that the carrier writes. @throws TypeError when one of them cannot be written. */
export function checkedHeaders(headers: NamedHeaders): NamedHeaders {
  const checked: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (!NAME.test(name)) throw new TypeError(`No header can have the name ${JSON.stringify(name)}`)
    if (!VALUE.test(value)) throw new TypeError(`The header ${name} cannot have the value ${JSON.stringify(value)}`)
    if (!OURS.has(name.toLowerCase())) checked[name.toLowerCase()] = value
  }
  return checked
}

/** The same, flat. @throws TypeError when one of them cannot be written. */
export function flatHeaders(headers: NamedHeaders): FlatHeaders {
  return Object.entries(checkedHeaders(headers)).flat()
}
