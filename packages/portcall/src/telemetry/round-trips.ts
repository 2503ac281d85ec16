import type { SpanContext } from '@opentelemetry/api'
import { isSuccess, type Request, type Response } from '../jsonrpc/message.ts'
import { setLru } from '../util/lru.ts'

/** Finds the span of the earlier request when a call is sent again with the input that the server required. */
export interface RoundTripLinks {
  /** Remembers the span of a request whose result requires input. */
  remember(response: Response, span: SpanContext): void
  /** Returns the span of the request that this one continues, if this process remembers it. */
  previousOf(request: Request): SpanContext | undefined
}

const MAX_ENTRIES = 1000

/** Creates the memory of one side. Both requests have the same `requestState`, which no other call has. */
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
