import type { Request } from '../../../jsonrpc/message.ts'
import { clientMeta, discoverRequest, initializeParams } from '../../../protocol/probes.ts'
import { LATEST_LEGACY, MODERN_VERSION } from '../../../protocol/revisions.ts'
import type { Implementation } from '../../../protocol/types.ts'
import { Header, type HeaderRecord } from '../common/headers.ts'
import { POST_HEADERS } from './request-headers.ts'

/** The first request to a server of one era, as the HTTP transport sends it. */
export interface ProbeRequest {
  readonly message: Request
  readonly headers: HeaderRecord
}

/** Creates the first request to a server: `server/discover` of the newest revision, or `initialize` of the newest one with sessions. */
export function createProbeRequest(method: 'server/discover' | 'initialize', info: Implementation): ProbeRequest {
  if (method === 'initialize') {
    const params = initializeParams(LATEST_LEGACY.version, info)
    return { message: { jsonrpc: '2.0', id: method, method, params }, headers: POST_HEADERS }
  }
  const headers = { ...POST_HEADERS, [Header.protocolVersion]: MODERN_VERSION, [Header.method]: method }
  return { message: discoverRequest(method, clientMeta(info)), headers }
}
