import {
  type Attributes,
  type Context,
  type Histogram,
  type MeterProvider,
  metrics,
  type Span,
  type SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import type { Request } from '../jsonrpc/message.ts'
import { answeredOutcome, type Outcome, SUCCEEDED, type TracedOperation } from '../logging/operation.ts'
import { Attribute, operationAttributes, outcomeAttributes, sortAttributes } from './attributes.ts'
import { DURATION_BUCKETS } from './duration-buckets.ts'
import { createKnownNames, type KnownNames } from './known-names.ts'
import type { TelemetryOptions } from './options.ts'

/** The tracer and the metrics of one side. */
export interface Instruments {
  /** Returns what a request is about. Requests for the same known names get the same object. */
  operationOf(request: Pick<Request, 'method' | 'params'>): TracedOperation
  /** Starts the span of an operation, without attributes that only sampled spans need. */
  startSpan(operation: TracedOperation, parent: Context, kind: SpanKind): Span
  /** Ends the span of an operation with its outcome. */
  endSpan(span: Span, outcome: Outcome): void
  /** Records the duration of a request. */
  record(measurement: Measurement): void
  /** Records the duration of a session with the other side, in seconds, and how it ended. */
  recordSession(seconds: number, connection: Attributes, outcome?: Outcome): void
}

/** The duration of a request and what it concerns. */
export interface Measurement {
  readonly operation: TracedOperation
  readonly outcome: Outcome
  /** The attributes of the connection. Requests on similar connections share one object. */
  readonly connection: Attributes
  /** When the request started, by `performance.now()`. */
  readonly startedAt: number
}

/** The name under which Portcall creates spans and metrics. */
export const SCOPE = 'portcall'

const DESCRIPTIONS = {
  'mcp.client.operation.duration':
    'The duration of the MCP request or notification as observed on the sender from the time it was sent until the response or ack is received.',
  'mcp.server.operation.duration':
    'MCP request or notification duration as observed on the receiver from the time it was received until the result or ack is sent.',
  'mcp.client.session.duration': 'The duration of the MCP session as observed on the MCP client.',
  'mcp.server.session.duration': 'The duration of the MCP session as observed on the MCP server.',
} as const

/** Creates the tracer and the metrics of a client or a server. Global providers that are registered later are found as well. */
export function createInstruments(side: 'client' | 'server', options: TelemetryOptions): Instruments {
  const { tracerProvider = trace, meterProvider } = options
  const tracer = tracerProvider.getTracer(SCOPE)
  const names = createKnownNames()
  const descriptions = new WeakMap<TracedOperation, SpanDescription>()
  const series = createSeries(names)
  const countedOutcome = (outcome: Outcome): Outcome => (side === 'server' ? answeredOutcome(outcome) : outcome)
  let operations: Histogram | undefined
  let sessions: Histogram | undefined
  return {
    operationOf: names.operationOf,
    startSpan(operation, parent, kind) {
      let description = descriptions.get(operation)
      if (!description) descriptions.set(operation, (description = describeSpan(operation)))
      return tracer.startSpan(description.name, { kind, attributes: description.attributes }, parent)
    },
    endSpan(span, outcome) {
      if (span.isRecording()) describeOutcome(span, countedOutcome(outcome))
      span.end()
    },
    record(measurement) {
      operations ??= createHistogram(`mcp.${side}.operation.duration`, meterProvider)
      operations.record(
        (performance.now() - measurement.startedAt) / 1000,
        series.of(measurement, countedOutcome(measurement.outcome)),
      )
    },
    recordSession(seconds, connection, { errorType } = SUCCEEDED) {
      sessions ??= createHistogram(`mcp.${side}.session.duration`, meterProvider)
      sessions.record(seconds, errorType === undefined ? connection : { ...connection, [Attribute.errorType]: errorType })
    },
  }
}

/** The members that the spans of one operation have in common. */
interface SpanDescription {
  readonly name: string
  readonly attributes: Attributes
}

/** Describes the span of an operation. URIs are too many for names. */
function describeSpan(operation: TracedOperation): SpanDescription {
  const { method, kind, target } = operation
  const name = target === undefined || kind === 'resource' ? method : `${method} ${target}`
  return { name, attributes: operationAttributes(operation) }
}

/** Returns the attributes of a data point. */
interface Series {
  of(measurement: Measurement, counted: Outcome): Attributes
}

/** Creates the cache of the attributes of time series: merging attributes costs more than the rest of a measurement. */
function createSeries(names: KnownNames): Series {
  const cache = new WeakMap<Attributes, Map<TracedOperation, Attributes>>()
  return {
    of({ operation, outcome, connection }, counted) {
      const known = names.limit(operation, outcome)
      let byOperation = cache.get(connection)
      if (!byOperation) cache.set(connection, (byOperation = new Map()))
      let attributes = byOperation.get(known)
      if (!attributes) byOperation.set(known, (attributes = sortAttributes({ ...operationAttributes(known), ...connection })))
      return outcome.errorType === undefined ? attributes : { ...attributes, ...outcomeAttributes(counted) }
    },
  }
}

/** Creates a histogram on first use: unlike tracers, meters of a provider that is registered later are not found. */
function createHistogram(name: keyof typeof DESCRIPTIONS, provider: MeterProvider = metrics.getMeterProvider()): Histogram {
  return provider.getMeter(SCOPE).createHistogram(name, {
    unit: 's',
    description: DESCRIPTIONS[name],
    advice: { explicitBucketBoundaries: [...DURATION_BUCKETS] },
  })
}

/** Records how an operation ended. */
function describeOutcome(span: Span, outcome: Outcome): void {
  const { errorType, message } = outcome
  span.setAttributes(outcomeAttributes(outcome))
  if (errorType !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) })
}
