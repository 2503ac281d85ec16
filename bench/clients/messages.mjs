/** The messages of a hand-written client. */

const CLIENT = { name: 'baseline', version: '1.0.0' }
const LEGACY = '2025-11-25'
const MODERN = '2026-07-28'

const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': CLIENT,
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** The first messages of a legacy client. */
export const HANDSHAKE = [
  { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: LEGACY, capabilities: {}, clientInfo: CLIENT } },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
]

/** Returns a call of `add` with an id. */
export const addCall = (mode, id, args) => {
  const params = { name: 'add', arguments: args, ...(mode === 'modern' && { _meta: ENVELOPE }) }
  return { jsonrpc: '2.0', id, method: 'tools/call', params }
}

/** Returns the headers that a POST has in a mode, in addition to the common ones. */
export const headersOf = (mode) => ({
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': mode === 'modern' ? MODERN : LEGACY,
  ...(mode === 'modern' && { 'mcp-method': 'tools/call', 'mcp-name': 'add' }),
})
