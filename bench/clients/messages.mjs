/** The messages of a hand-written client. */

const CLIENT = { name: 'floor', version: '1.0.0' }
const LEGACY = '2025-11-25'
const MODERN = '2026-07-28'

const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': CLIENT,
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** What a client of the older era sends first. */
export const HANDSHAKE = [
  { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: LEGACY, capabilities: {}, clientInfo: CLIENT } },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
]

/** The call of `add` with an id. */
export const addCall = (mode, id, args) => {
  const params = { name: 'add', arguments: args, ...(mode === 'modern' && { _meta: ENVELOPE }) }
  return { jsonrpc: '2.0', id, method: 'tools/call', params }
}

/** The headers that a POST of a mode carries beside those of all. */
export const headersOf = (mode) => ({
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': mode === 'modern' ? MODERN : LEGACY,
  ...(mode === 'modern' && { 'mcp-method': 'tools/call', 'mcp-name': 'add' }),
})
