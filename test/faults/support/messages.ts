/** A response, with the fields that the tests use. */
export interface Reply {
  jsonrpc?: string
  id?: unknown
  method?: string
  params?: { [key: string]: unknown }
  result?: { [key: string]: unknown; content?: Array<{ type: string; text: string }>; isError?: boolean }
  error?: { code: number; message: string; data?: unknown }
}

export type Params = { [key: string]: unknown }

/** The result of the health tool. */
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

/** Returns the envelope of a modern request, with additional members. */
export function envelope(extra: Params = {}): Params {
  return { [`${PREFIX}protocolVersion`]: MODERN, [`${PREFIX}clientCapabilities`]: { elicitation: { form: {} } }, ...extra }
}

export const logLevel = { [`${PREFIX}logLevel`]: 'info' }

let last = 0

/** Returns a unique request id. */
export function freshId(): string {
  return `id-${++last}`
}

/** Creates a request without an envelope. */
export function request(method: string, params?: Params, id: unknown = freshId()): Params {
  return { jsonrpc: '2.0', id, method, ...(params && { params }) }
}

/** Creates a request with an envelope. */
export function modernRequest(method: string, params: Params = {}, id: unknown = freshId()): Params {
  const { _meta, ...others } = params
  return request(method, { ...others, _meta: envelope(_meta as Params | undefined) }, id)
}

/** Returns the params of a tool call. */
export function tool(name: string, args: Params = {}, meta?: Params): Params {
  return { name, arguments: args, ...(meta && { _meta: meta }) }
}

/** Returns the text of a tool result. */
export function textOf(reply: Reply | undefined): string | undefined {
  return reply?.result?.content?.[0]?.text
}

export const INITIALIZE = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'faults', version: '1' } }

/** Returns a text of nested arrays around `1`. */
export function nested(levels: number, open = '[', close = ']'): string {
  return open.repeat(levels) + 1 + close.repeat(levels)
}
