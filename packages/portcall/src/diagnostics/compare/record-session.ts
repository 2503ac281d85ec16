import type { Middleware } from '../../jsonrpc/exchange.ts'
import { isObject, type RequestId } from '../../jsonrpc/message.ts'
import { clientMeta, discoverRequest } from '../../protocol/probes.ts'
import { createRecordingHeader } from '../../recording/header.ts'
import { recordExchange } from '../../recording/record.ts'

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
      const meta = isObject(_meta) ? _meta : clientMeta(undefined)
      await recorded(discoverRequest('discover', meta), context).catch(() => {})
    }
    const isTaken = usedIds.has(request.id)
    usedIds.add(request.id)
    if (!isTaken || request.method === 'subscriptions/listen') return recorded(request, context)
    const response = await recorded({ ...request, id: `${request.id}#${++repeats}` }, context)
    return { ...response, id: request.id }
  }
}
