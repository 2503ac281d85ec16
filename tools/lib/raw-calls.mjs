import { once } from 'node:events'
import { request } from 'node:http'

export const MODERN = '2026-07-28'
const LEGACY = '2025-11-25'
const CLIENT = { name: 'raw', version: '1.0.0' }
const PREFIX = 'io.modelcontextprotocol/'

/** Posts one message and reads the whole response. */
async function post(port, message, headers) {
  const sent = request({ port, host: '127.0.0.1', path: '/mcp', method: 'POST' })
  for (const [name, value] of Object.entries(headers)) sent.setHeader(name, value)
  sent.setHeader('content-type', 'application/json')
  sent.setHeader('accept', 'application/json, text/event-stream')
  sent.end(JSON.stringify({ jsonrpc: '2.0', ...message }))
  const [response] = await once(sent, 'response')
  let text = ''
  for await (const chunk of response) text += chunk
  if (response.statusCode >= 300) throw new Error(`${message.method}: HTTP ${response.statusCode} ${text}`)
  return { headers: response.headers, text }
}

const expect = ({ text }, wanted) => {
  if (!text.includes(wanted)) throw new Error(`expected ${wanted} in ${text}`)
}

let nextId = 1

/** Returns the metadata of requests in a protocol version without sessions. */
export function metaOf(protocolVersion) {
  const envelope = { protocolVersion, clientInfo: CLIENT, clientCapabilities: {} }
  return Object.fromEntries(Object.entries(envelope).map(([key, value]) => [PREFIX + key, value]))
}

/** Returns a function that makes one stateless `tools/call`. */
export async function modernCaller(port, name, args, wanted) {
  const _meta = metaOf(MODERN)
  const headers = { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call', 'mcp-name': name }
  return async () =>
    expect(await post(port, { id: nextId++, method: 'tools/call', params: { name, arguments: args, _meta } }, headers), wanted)
}

/** Initializes a session and returns a function that makes one `tools/call` in it. */
export async function legacyCaller(port, name, args, wanted) {
  const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo: CLIENT }
  const welcome = await post(port, { id: nextId++, method: 'initialize', params }, {})
  const headers = { 'mcp-protocol-version': LEGACY, 'mcp-session-id': welcome.headers['mcp-session-id'] }
  await post(port, { method: 'notifications/initialized' }, headers)
  return async () =>
    expect(await post(port, { id: nextId++, method: 'tools/call', params: { name, arguments: args } }, headers), wanted)
}
