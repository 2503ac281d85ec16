import { context as activeContext, type Context, type Span, SpanKind, trace } from '@opentelemetry/api'
import type { ExchangeContext, Middleware } from '../jsonrpc/exchange.ts'
import { isObject, isSuccess, type JsonObject, type Request, type Response } from '../jsonrpc/message.ts'
import { withMeta } from '../protocol/meta.ts'
import {
  Attribute,
  type ConnectionAttributes,
  createConnectionAttributes,
  createPayloadRecorder,
  operationAttributes,
  type PayloadRecorder,
  receivedAttributes,
} from './attributes.ts'
import { createInputRequestTracer, type InputRequestTracer } from './input-requests.ts'
import { createInstruments, endSpan, type Instruments, type Measurement, spanName } from './instruments.ts'
import { metaOf, operationOf, originOf, outcomeOf, type RequestOrigin, type TracedOperation, thrownOutcome } from './operation.ts'
import type { TelemetryOptions } from './options.ts'
import { extractParent, injectMeta, type TraceParent } from './propagation.ts'
import { createRoundTripLinks, type RoundTripLinks } from './round-trips.ts'

/** What the spans of one server have in common. */
interface ServerTracing {
  readonly options: TelemetryOptions
  readonly instruments: Instruments
  readonly payloads: PayloadRecorder
  readonly connections: ConnectionAttributes
  readonly links: RoundTripLinks
  readonly inputRequests: InputRequestTracer
}

/** A request that a server received, and its span. */
interface ReceivedOperation {
  readonly request: Request
  readonly context: ExchangeContext
  readonly operation: TracedOperation
  readonly span: Span
}

/**
 * Creates middleware that records a span and the duration of each request that a server or gateway receives, as the semantic conventions of
 * OpenTelemetry for MCP define them. The span continues the trace of the client. Place it first: middleware that runs before it is not measured.
 *
 * @example
 * server.use(serverTelemetry())
 */
export function serverTelemetry(options: TelemetryOptions = {}): Middleware {
  const instruments = createInstruments('server', options)
  const tracing: ServerTracing = {
    options,
    instruments,
    payloads: createPayloadRecorder(options),
    connections: createConnectionAttributes(),
    links: createRoundTripLinks(),
    inputRequests: createInputRequestTracer(options),
  }
  return async (request, context, next) => {
    const startedAt = performance.now()
    const meta = metaOf(request)
    const operation = operationOf(request)
    const origin = originOf(meta, context)
    const connection = tracing.connections.of(origin)
    const traceParent = extractParent(meta, context.http)
    const span = startServerSpan({ request, context, operation, origin }, traceParent, tracing)
    const spanContext = trace.setSpan(traceParent.parent, span)
    const measure = (outcome: Measurement['outcome']): void => {
      instruments.record({ operation, outcome, connection, startedAt })
      endSpan(span, outcome)
    }
    const received: ReceivedOperation = { request, context, operation, span }
    try {
      // A request that is not sampled keeps what the client sent. Within this process, the active context says that it is not.
      const traced = span.isRecording() ? withTrace(request, meta, spanContext) : request
      const response = await activeContext.with(spanContext, next, undefined, traced, context)
      const finished = finishResponse(response, received, { ...tracing, spanContext })
      measure(outcomeOf(response))
      return finished
    } catch (error) {
      measure(thrownOutcome(error))
      throw error
    }
  }
}

/** Returns the request with the trace context of its span: for the handler, for tasks, and for the servers of a gateway. */
export function withTrace(request: Request, meta: JsonObject, from: Context): Request {
  return { ...request, params: withMeta(request.params ?? {}, { ...meta, ...injectMeta(from) }) }
}

interface StartingOperation extends Omit<ReceivedOperation, 'span'> {
  readonly origin: RequestOrigin
}

function startServerSpan(
  { request, context, operation, origin }: StartingOperation,
  { parent, transport }: TraceParent,
  { instruments, options, payloads, connections, links }: ServerTracing,
): Span {
  const attributes = operationAttributes(operation)
  const span = instruments.tracer.startSpan(spanName(operation), { kind: SpanKind.SERVER, attributes }, parent)
  if (!span.isRecording()) return span
  span.setAttributes({
    ...connections.of(origin),
    ...receivedAttributes(request.id, origin, context),
    ...payloads.argumentsOf(request),
    ...options.attributes?.(request, context),
  })
  if (transport) span.addLink({ context: transport })
  const previous = links.previousOf(request)
  if (previous) span.addLink({ context: previous })
  return span
}

/** Records what a response says, and prepares the input requests in it. */
function finishResponse(
  response: Response,
  { request, span }: ReceivedOperation,
  { payloads, links, inputRequests, spanContext }: ServerTracing & { readonly spanContext: Context },
): Response {
  if (!isSuccess(response)) return response
  const { resultType } = response.result
  if (span.isRecording()) {
    span.setAttributes(payloads.resultOf(request, response))
    if (typeof resultType === 'string' && resultType !== 'complete') span.setAttribute(Attribute.resultType, resultType)
  }
  if (resultType !== 'input_required') return response
  links.remember(response, span.spanContext())
  const requested = response.result.inputRequests
  if (!isObject(requested)) return response
  return { ...response, result: { ...response.result, inputRequests: inputRequests.trace(requested, spanContext) } }
}
