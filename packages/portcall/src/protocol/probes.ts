/** The first requests to a server: `server/discover` of the newest revision, and `initialize` of older ones. */
import type { JsonObject, Request, RequestId } from '../jsonrpc/message.ts'
import { MetaKey } from './meta.ts'
import { MODERN_VERSION } from './revisions.ts'
import type { ClientCapabilities, Implementation } from './types.ts'

/** Returns the `_meta` of requests of the newest revision. `info` describes the client. */
export function clientMeta(info: Implementation | undefined, capabilities: ClientCapabilities = {}): JsonObject {
  return {
    [MetaKey.protocolVersion]: MODERN_VERSION,
    ...(info && { [MetaKey.clientInfo]: info }),
    [MetaKey.clientCapabilities]: capabilities,
  }
}

/** Creates a `server/discover` request. https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning */
export function discoverRequest(id: RequestId, _meta: JsonObject): Request {
  return { jsonrpc: '2.0', id, method: 'server/discover', params: { _meta } }
}

/** Returns the params of an `initialize` request. https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle */
export function initializeParams(protocolVersion: string, clientInfo: object, capabilities: object = {}): JsonObject {
  return { protocolVersion, capabilities, clientInfo }
}
