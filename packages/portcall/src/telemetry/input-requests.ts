import { type Attributes, type Context, context, SpanKind, trace } from '@opentelemetry/api'
import type { InputMiddleware } from '../client/input-requests.ts'
import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { outcomeOf, thrownOutcome } from '../logging/operation.ts'
import { INPUT_REQUEST_HOOK, type InputRequestHook } from '../protocol/input-request-hook.ts'
import { withMeta } from '../protocol/meta.ts'
import { createInstruments } from './instruments.ts'
import type { TelemetryOptions } from './options.ts'
import { extractMeta, withTraceContext } from './propagation.ts'

/** Traces the input that a server requests from its client. */
export interface InputRequestTracer {
  /**
   * Returns the input requests of a result, prepared so that a client of an older revision gets each as a request with a span of its own. A
   * client of the newest revision gets them in the result, which has a span already.
   */
  trace(inputRequests: JsonObject, parent: Context): JsonObject
}

/** Creates the tracer of the input requests that a server sends. */
export function createInputRequestTracer(options: TelemetryOptions): InputRequestTracer {
  const { operationOf, startSpan, endSpan, record } = createInstruments('client', options)
  return {
    trace(inputRequests, parent) {
      const hook: InputRequestHook = async ({ method, params = {} }, send) => {
        const startedAt = performance.now()
        const operation = operationOf({ method, params })
        const span = startSpan(operation, parent, SpanKind.CLIENT)
        const measure = (outcome: ReturnType<typeof outcomeOf>): void => {
          record({ operation, outcome, connection: NO_CONNECTION, startedAt })
          endSpan(span, outcome)
        }
        try {
          const response = await send(withTraceMeta(params, trace.setSpan(parent, span)))
          measure(outcomeOf(response))
          return response
        } catch (error) {
          measure(thrownOutcome(error))
          throw error
        }
      }
      return { ...inputRequests, [INPUT_REQUEST_HOOK]: hook }
    },
  }
}

/** The connection of an input request is that of the call that caused it. */
const NO_CONNECTION: Attributes = {}

/** Returns the params with the trace context in `_meta`. */
export function withTraceMeta(params: JsonObject, from: Context): JsonObject {
  return withMeta(params, withTraceContext(isObject(params._meta) ? params._meta : {}, from))
}

/** Creates the middleware of a client that records a span for each input request of a server. */
export function createInputMiddleware(options: TelemetryOptions): InputMiddleware {
  const { operationOf, startSpan, endSpan, record } = createInstruments('server', options)
  return async (request, next) => {
    const startedAt = performance.now()
    const { method, params } = request
    const operation = operationOf({ method, params })
    const parent = extractMeta(isObject(params._meta) ? params._meta : {})
    const span = startSpan(operation, parent, SpanKind.SERVER)
    const measure = (outcome: ReturnType<typeof outcomeOf>): void => {
      record({ operation, outcome, connection: NO_CONNECTION, startedAt })
      endSpan(span, outcome)
    }
    try {
      const result = await context.with(trace.setSpan(parent, span), next, undefined, request)
      measure({})
      return result
    } catch (error) {
      measure(thrownOutcome(error))
      throw error
    }
  }
}
