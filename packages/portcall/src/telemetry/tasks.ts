import { context as activeContext, SpanKind, trace } from '@opentelemetry/api'
import type { Middleware } from '../jsonrpc/exchange.ts'
import { Attribute, operationAttributes } from './attributes.ts'
import { createInstruments, endSpan, spanName } from './instruments.ts'
import { metaOf, operationOf, outcomeOf, thrownOutcome } from './operation.ts'
import type { TelemetryOptions } from './options.ts'
import { extractMeta } from './propagation.ts'
import { withTrace } from './server.ts'

/**
 * Creates middleware that records a span for each run of a task, in any process. The span belongs to the trace of the call that created the task,
 * and has a link to the span of that call.
 *
 * @example
 * createServer(info, { extensions: [tasks({ middleware: [taskTelemetry()] })] })
 */
export function taskTelemetry(options: TelemetryOptions = {}): Middleware {
  const { tracer } = createInstruments('server', options)
  return async (request, context, next) => {
    const meta = metaOf(request)
    const operation = operationOf(request)
    const parent = extractMeta(meta)
    const cause = trace.getSpanContext(parent)
    const attributes = {
      ...operationAttributes(operation),
      [Attribute.taskId]: String(request.id),
      ...options.attributes?.(request, context),
    }
    const links = cause ? [{ context: cause }] : []
    const span = tracer.startSpan(spanName(operation), { kind: SpanKind.CONSUMER, attributes, links }, parent)
    const spanContext = trace.setSpan(parent, span)
    try {
      const response = await activeContext.with(spanContext, next, undefined, withTrace(request, meta, spanContext), context)
      endSpan(span, outcomeOf(response))
      return response
    } catch (error) {
      endSpan(span, thrownOutcome(error))
      throw error
    }
  }
}
