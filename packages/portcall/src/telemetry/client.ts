import {
  type Attributes,
  context as activeContext,
  type Context,
  type Span,
  type SpanContext,
  SpanKind,
  trace,
} from '@opentelemetry/api'
import { checkOptions } from '../../../util/src/check-options.ts'
import type { InputMiddleware } from '../client/input-requests.ts'
import {
  type ConnectionInfo,
  type ConnectionSession,
  deriveContext,
  type ExchangeContext,
  type Middleware,
} from '../jsonrpc/exchange.ts'
import { isObject, isSuccess, type JsonObject, type Request, type Response } from '../jsonrpc/message.ts'
import { metaOf, type Outcome, outcomeOf, SUCCEEDED, thrownOutcome } from '../logging/operation.ts'
import { rememberTrace } from '../logging/request-traces.ts'
import {
  Attribute,
  type ConnectionAttributes,
  createConnectionAttributes,
  createPayloadRecorder,
  type PayloadRecorder,
} from './attributes.ts'
import { createInputMiddleware, withTraceMeta } from './input-requests.ts'
import { createInstruments, type Instruments } from './instruments.ts'
import type { ClientTelemetryOptions } from './options.ts'
import { CLIENT_TELEMETRY_NAMES } from './options.ts'
import { extractMeta, withTraceContext } from './propagation.ts'
import { createRoundTripLinks, type RoundTripLinks } from './round-trips.ts'
import { withTrace } from './server.ts'

/** Options of `connect` that record telemetry. */
export interface ClientTelemetry {
  /** Records the requests that the client sends. */
  readonly middleware: readonly Middleware[]
  /** Records the input that servers request. */
  readonly inputMiddleware: readonly InputMiddleware[]
}

/** The members that the spans of one client have in common. */
interface ClientTracing {
  readonly options: ClientTelemetryOptions
  readonly instruments: Instruments
  readonly payloads: PayloadRecorder
  readonly links: RoundTripLinks
  readonly connections: ConnectionAttributes
  /** The connection of requests whose context has none. */
  readonly connection: ConnectionInfo
  /** The sessions whose duration will be recorded. */
  readonly sessions: WeakSet<ConnectionSession>
}

/**
 * Returns the options of `connect` that record a span and the duration of each request that the client sends and of each input request that it
 * handles, as the semantic conventions of OpenTelemetry for MCP define them. The server continues the trace.
 *
 * @example
 * const client = await connect(url, { ...clientTelemetry(), elicit })
 */
export function clientTelemetry(options: ClientTelemetryOptions = {}): ClientTelemetry {
  checkOptions('clientTelemetry()', options, { names: CLIENT_TELEMETRY_NAMES })
  return {
    middleware: [createClientMiddleware(options, { marksInputRequests: true })],
    inputMiddleware: [createInputMiddleware(options)],
  }
}

/** Settings that depend on who sends the requests. */
interface ClientMiddlewareSettings {
  /** True if input requests in results get the trace context, for the input middleware of the same client. */
  readonly marksInputRequests: boolean
  /** Further attributes of all spans. */
  readonly attributes?: Attributes
  /** The connection of requests whose context has none. */
  readonly connection?: ConnectionInfo
}

/** Creates the middleware that records the requests of a client, or of a gateway to one of its servers. */
export function createClientMiddleware(options: ClientTelemetryOptions, settings: ClientMiddlewareSettings): Middleware {
  const tracing: ClientTracing = {
    options,
    instruments: createInstruments('client', options),
    payloads: createPayloadRecorder(options),
    links: createRoundTripLinks(),
    connections: createConnectionAttributes(settings.attributes),
    connection: settings.connection ?? UNKNOWN_CONNECTION,
    sessions: new WeakSet(),
  }
  return async (request, context, next) => {
    const startedAt = performance.now()
    const meta = metaOf(request)
    const operation = tracing.instruments.operationOf(request)
    const previous = tracing.links.previousOf(request)
    const parent = continueTrace(parentOf(meta), previous)
    const span = tracing.instruments.startSpan(operation, parent, SpanKind.CLIENT)
    const spanContext = trace.setSpan(parent, span)
    const sent: SentOperation = { request, context, span }
    let outcome: Outcome = SUCCEEDED
    try {
      describeRequest(sent, previous, tracing)
      const sentContext = options.httpHeaders ? withTraceHeaders(context, spanContext) : context
      const response = await activeContext.with(spanContext, next, undefined, withTrace(request, meta, spanContext), sentContext)
      outcome = outcomeOf(response)
      describeResponse(response, sent, tracing)
      return settings.marksInputRequests ? markInputRequests(response, spanContext) : response
    } catch (error) {
      outcome = thrownOutcome(error)
      throw error
    } finally {
      // Read now: the request may have opened another connection.
      const info = context.connection ?? tracing.connection
      const connection = tracing.connections.of(info)
      if (info.session) measureSession(info.session, connection, tracing)
      tracing.instruments.record({ operation, outcome, connection, startedAt })
      describeConnection(sent, connection, tracing)
      tracing.instruments.endSpan(span, outcome)
    }
  }
}

const UNKNOWN_CONNECTION: ConnectionInfo = { transport: 'memory', protocolVersion: '' }

/** Returns the context to continue: the active span, or else the trace in the request, such as that of the caller of a gateway. */
function parentOf(meta: JsonObject): Context {
  const active = activeContext.active()
  return trace.getSpanContext(active) ? active : extractMeta(meta)
}

/** A request that a client sends, and its span. */
interface SentOperation {
  readonly request: Request
  readonly context: ExchangeContext
  readonly span: Span
}

/** Records what a request says. */
function describeRequest({ request, span }: SentOperation, previous: SpanContext | undefined, { payloads }: ClientTracing): void {
  if (!span.isRecording()) return
  rememberTrace(request, span.spanContext())
  span.setAttribute(Attribute.requestId, String(request.id))
  span.setAttributes(payloads.argumentsOf(request))
  if (previous) span.addLink({ context: previous })
}

/** Records how a request was sent, which is known once its connection is open. */
function describeConnection({ request, context, span }: SentOperation, connection: Attributes, { options }: ClientTracing): void {
  if (!span.isRecording()) return
  span.setAttributes(connection)
  const sessionId = context.connection?.session?.id
  if (sessionId !== undefined) span.setAttribute(Attribute.sessionId, sessionId)
  const own = options.attributes?.(request, context)
  if (own) span.setAttributes(own)
}

/** Records the duration of a session when it ends. */
function measureSession(session: ConnectionSession, connection: Attributes, { instruments, sessions }: ClientTracing): void {
  if (sessions.has(session)) return
  sessions.add(session)
  session.onEnd((error) => {
    const outcome = error === undefined ? SUCCEEDED : thrownOutcome(error)
    instruments.recordSession((performance.now() - session.openedAt) / 1000, connection, outcome)
  })
}

/** Without an active span, the round trips of one call share the trace of the first one. */
function continueTrace(parent: Context, previous: SpanContext | undefined): Context {
  return previous && !trace.getSpanContext(parent) ? trace.setSpanContext(parent, previous) : parent
}

/** Records what a response says, and remembers the span for the request that brings the input that the server requires. */
function describeResponse(response: Response, { request, span }: SentOperation, { payloads, links }: ClientTracing): void {
  if (!isSuccess(response)) return
  const { resultType } = response.result
  if (resultType === 'input_required') links.remember(response, span.spanContext())
  if (!span.isRecording()) return
  span.setAttributes(payloads.resultOf(request, response))
  if (typeof resultType === 'string' && resultType !== 'complete') span.setAttribute(Attribute.resultType, resultType)
}

/** Adds the trace context to the input requests of a result, so that the spans of their handlers continue that of the request. */
function markInputRequests(response: Response, from: Context): Response {
  if (!isSuccess(response) || !isObject(response.result.inputRequests)) return response
  const marked = Object.entries(response.result.inputRequests).map(([key, input]) => [
    key,
    isObject(input) ? { ...input, params: withTraceMeta(isObject(input.params) ? input.params : {}, from) } : input,
  ])
  return { ...response, result: { ...response.result, inputRequests: Object.fromEntries(marked) } }
}

function withTraceHeaders(context: ExchangeContext, from: Context): ExchangeContext {
  return deriveContext(context, { outgoing: { headers: withTraceContext({ ...context.outgoing?.headers }, from) } })
}
