/** What is in an answer, as far as the tests look. */
export interface Reply {
  jsonrpc?: string
  id?: unknown
  method?: string
  params?: { [key: string]: unknown }
  result?: { [key: string]: unknown; content?: Array<{ type: string; text: string }>; isError?: boolean }
  error?: { code: number; message: string; data?: unknown }
}

export type Params = { [key: string]: unknown }

/** What the health tool tells. */
export interface Health {
  rss: number
  heapUsed: number
  external: number
  sockets: number
  timers: number
  polluted: string[]
}

export interface Counts {
  started: number
  finished: number
  aborted: number
  sent: number
}

export const MODERN = '2026-07-28'
const PREFIX = 'io.modelcontextprotocol/'

/** The envelope of a modern request; what is given comes on top. */
export function envelope(extra: Params = {}): Params {
  return { [`${PREFIX}protocolVersion`]: MODERN, [`${PREFIX}clientCapabilities`]: { elicitation: { form: {} } }, ...extra }
}

export const logLevel = { [`${PREFIX}logLevel`]: 'info' }

let last = 0

/** An id that no other request has. */
export function freshId(): string {
  return `id-${++last}`
}

/** A request without an envelope. */
export function request(method: string, params?: Params, id: unknown = freshId()): Params {
  return { jsonrpc: '2.0', id, method, ...(params && { params }) }
}

/** A request with an envelope. */
export function modernRequest(method: string, params: Params = {}, id: unknown = freshId()): Params {
  const { _meta, ...rest } = params
  return request(method, { ...rest, _meta: envelope(_meta as Params | undefined) }, id)
}

/** The params of a tool call. */
export function tool(name: string, args: Params = {}, meta?: Params): Params {
  return { name, arguments: args, ...(meta && { _meta: meta }) }
}

/** The text of a tool's result. */
export function textOf(reply: Reply | undefined): string | undefined {
  return reply?.result?.content?.[0]?.text
}

export const INITIALIZE = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'faults', version: '1' } }

/** A text of nested arrays around `1`. */
export function nested(levels: number, open = '[', close = ']'): string {
  return open.repeat(levels) + 1 + close.repeat(levels)
}
