import type { Request } from '../jsonrpc/message.ts'
import { metaOf } from './operation.ts'

/** The ids of a span and its trace, in hexadecimal. */
export interface TraceIds {
  readonly traceId: string
  readonly spanId: string
}

const traces = new WeakMap<Request, TraceIds>()

/** Remembers the span of a request, for middleware around that of the span. */
export function rememberTrace(request: Request, { traceId, spanId }: TraceIds): void {
  traces.set(request, { traceId, spanId })
}

/** Returns the span of a request that was remembered, or else the one that its `_meta` names. */
export function traceOf(request: Request): TraceIds | undefined {
  const remembered = traces.get(request)
  if (remembered) return remembered
  const traceparent = metaOf(request).traceparent
  const [, traceId, spanId] = typeof traceparent === 'string' ? traceparent.split('-') : []
  return traceId && spanId ? { traceId, spanId } : undefined
}
