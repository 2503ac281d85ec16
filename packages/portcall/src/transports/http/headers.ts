/** Header names and values in turn: `['content-type', 'application/json']`. */
export type FlatHeaders = readonly string[]

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
