import type { JsonObject, Message } from 'portcall/jsonrpc'

const PREFIX = 'io.modelcontextprotocol/'
const NAME_PARAMS: Record<string, string> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
}

/** How a client identifies itself. */
export interface Self {
  revision: string
  clientInfo: { name: string; version: string }
  capabilities: JsonObject
  logLevel?: string | undefined
}

/** Adds the envelope that every request of the modern era carries to its params. */
export function withEnvelope(params: JsonObject | undefined, { revision, clientInfo, capabilities, logLevel }: Self): JsonObject {
  const envelope: JsonObject = {
    [`${PREFIX}protocolVersion`]: revision,
    [`${PREFIX}clientInfo`]: clientInfo,
    [`${PREFIX}clientCapabilities`]: capabilities,
  }
  if (logLevel) envelope[`${PREFIX}logLevel`] = logLevel
  return { ...params, _meta: { ...envelope, ...(params?._meta as JsonObject | undefined) } }
}

/** Returns the HTTP headers that mirror a modern message. */
export function mirrorHeaders(message: Message | Message[], revision: string): Record<string, string> {
  if (!('method' in message)) return {}
  const headers: Record<string, string> = { 'mcp-protocol-version': revision, 'mcp-method': message.method }
  const nameParam = NAME_PARAMS[message.method]
  const name = nameParam && message.params?.[nameParam]
  if (typeof name === 'string') headers['mcp-name'] = encodeHeader(name)
  return headers
}

/** Encodes a header value: unchanged, or in the base64 form when HTTP cannot carry it. */
export function encodeHeader(value: string): string {
  const plain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith('=?base64?')
  return plain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`
}

/** Returns the id of the subscription that a notification belongs to. */
export function subscriptionOf(params: JsonObject | undefined): unknown {
  const meta = params?._meta as JsonObject | undefined
  return meta?.[`${PREFIX}subscriptionId`]
}
