import type { Middleware, RequestId } from '../../entrypoints/jsonrpc.ts'
import { recordExchange } from '../../entrypoints/testing.ts'
import { MetaKey } from '../../protocol/meta.ts'
import { MODERN_VERSION } from '../../protocol/revisions.ts'
import { createRecordingHeader } from '../../testing/recording/header.ts'

/** Options of `recordMiddleware`. */
export interface RecordSessionOptions {
  /** Receives each line of the recording, without the line break: first the header, then one for each message. Secrets are redacted. */
  readonly onLine: (line: string) => void
  /** Names of additional members whose values are redacted. */
  readonly redact?: readonly string[]
}

/**
 * Creates middleware that records everything that goes through it, in the newest revision, whatever the revision on the wire. Use it with one
 * connection: `client.use(recordMiddleware(…))`, or with the server of a bridge.
 */
export function recordMiddleware({ onLine, redact = [] }: RecordSessionOptions): Middleware {
  let next: Parameters<Middleware>[2]
  onLine(createRecordingHeader())
  const recorded = recordExchange((request, context) => next(request, context), { onLine, redact })
  let hasDiscovered = false
  // Several clients number their requests alike.
  const usedIds = new Set<RequestId>()
  let repeats = 0
  return async (request, context, inner) => {
    next = inner
    // A replay needs to know what the server is, and gateways answer this request themselves.
    if (!hasDiscovered && request.method !== 'server/discover') {
      hasDiscovered = true
      const { _meta } = request.params ?? {}
      const meta =
        typeof _meta === 'object' && _meta !== null
          ? _meta
          : { [MetaKey.protocolVersion]: MODERN_VERSION, [MetaKey.clientCapabilities]: {} }
      await recorded({ jsonrpc: '2.0', id: 'discover', method: 'server/discover', params: { _meta: meta } }, context).catch(
        () => {},
      )
    }
    const isTaken = usedIds.has(request.id)
    usedIds.add(request.id)
    if (!isTaken || request.method === 'subscriptions/listen') return recorded(request, context)
    const response = await recorded({ ...request, id: `${request.id}#${++repeats}` }, context)
    return { ...response, id: request.id }
  }
}
