/** The hand-written messages that the load generator sends. */
import { ID } from '../load/request.mjs'

/** The revision of each mode. */
export const REVISIONS = { modern: '2026-07-28', session: '2025-11-25' }

const MODERN = REVISIONS.modern
const LEGACY = REVISIONS.session
const CLIENT = { name: 'load', version: '1.0.0' }
const PREFIX = 'io.modelcontextprotocol/'

const ENVELOPE = {
  [`${PREFIX}protocolVersion`]: MODERN,
  [`${PREFIX}clientInfo`]: CLIENT,
  [`${PREFIX}clientCapabilities`]: {},
}

/** Returns JSON in which each id placeholder is a number. */
const render = (message) => JSON.stringify(message).replaceAll(`"${ID}"`, ID)

/** Returns a request of a mode as a line of JSON. `meta` goes into `_meta`. */
export function requestText(mode, method, { meta, ...params } = {}) {
  const _meta = { ...(mode === 'modern' && ENVELOPE), ...meta }
  const withMeta = Object.keys(_meta).length ? { ...params, _meta } : params
  return render({ jsonrpc: '2.0', id: ID, method, params: withMeta })
}

/** Returns the POST body and headers of a request of a mode. */
export function posted(mode, method, params = {}) {
  const modern = { 'mcp-protocol-version': MODERN, 'mcp-method': method, ...(params.name && { 'mcp-name': params.name }) }
  return { headers: mode === 'modern' ? modern : { 'mcp-protocol-version': LEGACY }, body: requestText(mode, method, params) }
}

const handshake = (capabilities = {}) =>
  [
    { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: LEGACY, capabilities, clientInfo: CLIENT } },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
  ].map((message) => JSON.stringify(message))

/** The first messages of a stdio connection in a mode. */
export const openingLines = (mode) => (mode === 'modern' ? [] : handshake())

/** The first requests of an HTTP connection in a mode; the capabilities are those of the client of the session, if any. */
export const openingPosts = (mode, capabilities) =>
  mode === 'session'
    ? handshake(capabilities).map((body, index) => ({ headers: index ? { 'mcp-protocol-version': LEGACY } : {}, body }))
    : []

/** Returns the `_meta` of a modern request whose client has these capabilities. */
export const capabilitiesMeta = (capabilities) => ({ [`${PREFIX}clientCapabilities`]: capabilities })

/** Returns a call of a tool, and the check of its response. */
export const toolCall = (name, args, check) => ({ method: 'tools/call', params: { name, arguments: args }, check })

/** The call that most workloads make: the sum of the id and 2, so that every response differs. */
export const ADD = toolCall('add', { a: ID, b: 2 }, { name: 'sum' })
