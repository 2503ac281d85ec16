import { isSpanContextValid, type SpanContext } from '@opentelemetry/api'
import { setLru } from '../../../util/src/lru.ts'
import { isSuccess, type Request, type Response } from '../jsonrpc/message.ts'

/** Finds the span of the earlier request when a client sends a call again with the input that the server required. */
export interface RoundTripLinks {
  /** Remembers the span of a request whose result requires input. */
  remember(response: Response, span: SpanContext): void
  /** Returns the span of the request that this one continues, if this process remembers it. */
  previousOf(request: Request): SpanContext | undefined
}

const MAX_ENTRIES = 1000

/** Creates the memory of a client. Both requests have the same `requestState`, which no other call has. */
export function createRoundTripLinks(): RoundTripLinks {
  const spans = new Map<string, SpanContext>()
  return {
    remember(response, span) {
      const state = isSuccess(response) ? response.result.requestState : undefined
      if (typeof state === 'string') setLru(spans, [state, span], MAX_ENTRIES)
    },
    previousOf({ params }) {
      const state = params?.requestState
      return typeof state === 'string' ? spans.get(state) : undefined
    },
  }
}

/** The suffix that a server appends to `requestState`: the ids of a span and its flags. No other process knows the span, and any may get the next request. */
const SPAN_SUFFIX = /~([\da-f]{32})([\da-f]{16})([\da-f]{2})$/

/** Returns a response that requires input, with a `requestState` that names the span of its request. */
export function writeRoundTrip(response: Response, { traceId, spanId, traceFlags }: SpanContext): Response {
  const state = isSuccess(response) ? response.result.requestState : undefined
  if (typeof state !== 'string' || !isSuccess(response) || !isSpanContextValid({ traceId, spanId, traceFlags })) return response
  const requestState = `${state}~${traceId}${spanId}${traceFlags.toString(16).padStart(2, '0')}`
  return { ...response, result: { ...response.result, requestState } }
}

/** A request that continues another one. */
export interface ContinuedRequest {
  /** The request with the `requestState` of the server. */
  readonly request: Request
  /** The span of the request that it continues. */
  readonly previous: SpanContext
}

/** Returns the request that brings the input for an earlier one, without what `writeRoundTrip` appended; undefined if it is no such request. */
export function readRoundTrip(request: Request): ContinuedRequest | undefined {
  const state = request.params?.requestState
  if (typeof state !== 'string') return undefined
  const [suffix, traceId, spanId, flags = ''] = SPAN_SUFFIX.exec(state) ?? []
  if (!suffix || !traceId || !spanId) return undefined
  const params = { ...request.params, requestState: state.slice(0, -suffix.length) }
  return {
    request: { ...request, params },
    previous: { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true },
  }
}
