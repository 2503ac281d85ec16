import { context as activeContext, type Context, type Span, type SpanContext, SpanKind, trace } from '@opentelemetry/api'
import { checkOptions } from '../../../util/src/check-options.ts'
import type { ExchangeContext, Middleware } from '../jsonrpc/exchange.ts'
import { isObject, isSuccess, type JsonObject, type Request, type Response } from '../jsonrpc/message.ts'
import { markRecording } from '../jsonrpc/recording.ts'
import { metaOf, type Outcome, originOf, outcomeOf, type RequestOrigin, thrownOutcome } from '../logging/operation.ts'
import { rememberTrace } from '../logging/request-traces.ts'
import { withMeta } from '../protocol/meta.ts'
import {
  Attribute,
  type ConnectionAttributes,
  createConnectionAttributes,
  createPayloadRecorder,
  type PayloadRecorder,
  receivedAttributes,
} from './attributes.ts'
import { createInputRequestTracer, type InputRequestTracer } from './input-requests.ts'
import { createInstruments } from './instruments.ts'
import type { TelemetryOptions } from './options.ts'
import { TELEMETRY_NAMES } from './options.ts'
import { extractParent, withTraceContext } from './propagation.ts'
import { readRoundTrip, writeRoundTrip } from './round-trips.ts'
import { measureSession, type RecordSession } from './session-durations.ts'

/** The members that the spans of one server have in common. */
interface ServerTracing {
  readonly options: TelemetryOptions
  readonly payloads: PayloadRecorder
  readonly connections: ConnectionAttributes
  readonly inputRequests: InputRequestTracer
}

/** A request that a server received, and its span. */
interface ReceivedOperation {
  readonly request: Request
  readonly context: ExchangeContext
  readonly origin: RequestOrigin
  readonly span: Span
  /** The context of the span. */
  readonly spanContext: Context
}

/**
 * Creates middleware that records a span and the duration of each request that a server or gateway receives, as the semantic conventions of
 * OpenTelemetry for MCP define them. The span continues the trace of the client. Place it first: middleware that runs before it is not measured.
 *
 * @example
 * server.use(serverTelemetry())
 */
export function serverTelemetry(options: TelemetryOptions = {}): Middleware {
  checkOptions('serverTelemetry()', options, { names: TELEMETRY_NAMES })
  const instruments = createInstruments('server', options)
  const tracing: ServerTracing = {
    options,
    payloads: createPayloadRecorder(options),
    connections: createConnectionAttributes(),
    inputRequests: createInputRequestTracer(options),
  }
  const recordSession: RecordSession = (seconds, origin) => instruments.recordSession(seconds, tracing.connections.of(origin))
  const record: Middleware = (sent, context, next) => {
    const startedAt = performance.now()
    const roundTrip = readRoundTrip(sent)
    const request = roundTrip?.request ?? sent
    const meta = metaOf(request)
    const operation = instruments.operationOf(request)
    const origin = originOf(meta, context)
    const { parent, transport } = extractParent(meta, context.http)
    const span = instruments.startSpan(operation, parent, SpanKind.SERVER)
    const spanContext = trace.setSpan(parent, span)
    const received: ReceivedOperation = { request, context, origin, span, spanContext }
    const isSampled = span.isRecording()
    const end = (outcome: Outcome): void => {
      instruments.record({ operation, outcome, connection: tracing.connections.of(origin), startedAt })
      instruments.endSpan(span, outcome)
    }
    const fail = (error: unknown): never => {
      end(thrownOutcome(error))
      throw error
    }
    const respond = (response: Response): Response => {
      if (isSampled) describeResponse(response, received, tracing)
      end(outcomeOf(response))
      return traceInputRequests(response, received, tracing)
    }
    try {
      measureSession(request, context, recordSession)
      if (isSampled) {
        // The logger knows the request as it was received.
        rememberTrace(sent, span.spanContext())
        describeRequest(received, [transport, roundTrip?.previous], tracing)
      }
      // A request that is not sampled keeps what the client sent. Within this process, the active context says that it is not.
      const traced = isSampled ? withTrace(request, meta, spanContext) : request
      // With a context manager, promises are much of what tracing costs: an async function would create more of them.
      return activeContext.with(spanContext, next, undefined, traced, context).then(respond, fail)
    } catch (error) {
      return fail(error)
    }
  }
  return markRecording(record, { name: 'serverTelemetry()', target: options.tracerProvider })
}

/** Returns the request with the trace context of its span: for the handler, for tasks, and for the servers of a gateway. */
export function withTrace(request: Request, meta: JsonObject, from: Context): Request {
  return { ...request, params: withMeta(request.params ?? {}, withTraceContext(meta, from)) }
}

/** Records what a request says. */
function describeRequest(
  { request, context, origin, span }: ReceivedOperation,
  links: readonly (SpanContext | undefined)[],
  { options, payloads, connections }: ServerTracing,
): void {
  // The span copies attributes anyway: merging them before takes as long as the rest of the description.
  span.setAttributes(connections.of(origin))
  span.setAttributes(receivedAttributes(request.id, origin, context))
  span.setAttributes(payloads.argumentsOf(request))
  const own = options.attributes?.(request, context)
  if (own) span.setAttributes(own)
  for (const link of links) if (link) span.addLink({ context: link })
}

/** Records what a response says. */
function describeResponse(response: Response, { request, span }: ReceivedOperation, { payloads }: ServerTracing): void {
  if (!isSuccess(response)) return
  const { resultType } = response.result
  span.setAttributes(payloads.resultOf(request, response))
  if (typeof resultType === 'string' && resultType !== 'complete') span.setAttribute(Attribute.resultType, resultType)
}

/** Prepares the input requests in a response, and names the span for the request that brings the input. */
function traceInputRequests(
  response: Response,
  { span, spanContext }: ReceivedOperation,
  { inputRequests }: ServerTracing,
): Response {
  if (!isSuccess(response) || response.result.resultType !== 'input_required') return response
  const requested = response.result.inputRequests
  const traced = isObject(requested)
    ? { ...response, result: { ...response.result, inputRequests: inputRequests.trace(requested, spanContext) } }
    : response
  return writeRoundTrip(traced, span.spanContext())
}
