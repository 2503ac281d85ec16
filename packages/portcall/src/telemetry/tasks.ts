import { context as activeContext, SpanKind, trace } from '@opentelemetry/api'
import { checkOptions } from '../../../util/src/check-options.ts'
import type { Middleware } from '../jsonrpc/exchange.ts'
import { metaOf, outcomeOf, thrownOutcome } from '../logging/operation.ts'
import { Attribute } from './attributes.ts'
import { createInstruments } from './instruments.ts'
import type { TelemetryOptions } from './options.ts'
import { TELEMETRY_NAMES } from './options.ts'
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
  checkOptions('taskTelemetry()', options, { names: TELEMETRY_NAMES })
  const { operationOf, startSpan, endSpan } = createInstruments('server', options)
  return async (request, context, next) => {
    const meta = metaOf(request)
    const parent = extractMeta(meta)
    const span = startSpan(operationOf(request), parent, SpanKind.CONSUMER)
    const cause = trace.getSpanContext(parent)
    if (cause) span.addLink({ context: cause })
    const spanContext = trace.setSpan(parent, span)
    try {
      span.setAttributes({ [Attribute.taskId]: String(request.id), ...options.attributes?.(request, context) })
      const response = await activeContext.with(spanContext, next, undefined, withTrace(request, meta, spanContext), context)
      endSpan(span, outcomeOf(response))
      return response
    } catch (error) {
      endSpan(span, thrownOutcome(error))
      throw error
    }
  }
}
