import {
  type Attributes,
  type Histogram,
  type MeterProvider,
  metrics,
  type Span,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { operationAttributes, outcomeAttributes } from './attributes.ts'
import { DURATION_BUCKETS } from './duration-buckets.ts'
import { createKnownNames } from './known-names.ts'
import type { Outcome, TracedOperation } from './operation.ts'
import type { TelemetryOptions } from './options.ts'

/** The tracer and the metrics of one side. */
export interface Instruments {
  readonly tracer: Tracer
  /** Records the duration of a request. */
  record(measurement: Measurement): void
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

const SCOPE = 'portcall'

const DESCRIPTIONS = {
  client:
    'The duration of the MCP request or notification as observed on the sender from the time it was sent until the response or ack is received.',
  server:
    'MCP request or notification duration as observed on the receiver from the time it was received until the result or ack is sent.',
} as const

/** Creates the tracer and the metrics of a client or a server. Global providers that are registered later are found as well. */
export function createInstruments(side: 'client' | 'server', options: TelemetryOptions): Instruments {
  const { tracerProvider = trace, meterProvider } = options
  const tracer = tracerProvider.getTracer(SCOPE)
  const cache = createMetricAttributes()
  let histogram: Histogram | undefined
  return {
    tracer,
    record(measurement) {
      histogram ??= createDurationHistogram(side, meterProvider)
      histogram.record((performance.now() - measurement.startedAt) / 1000, cache.of(measurement))
    },
  }
}

/** Returns the attributes of a data point. */
interface MetricAttributes {
  of(measurement: Measurement): Attributes
}

const MAX_CACHED = 2000

/** Creates the cache of attributes: most requests repeat earlier ones, and merging attributes costs more than the rest of a measurement. */
function createMetricAttributes(): MetricAttributes {
  const names = createKnownNames()
  const byConnection = new WeakMap<Attributes, Map<string, Attributes>>()
  return {
    of({ operation, outcome, connection }) {
      const { method, target = '' } = operation
      const { errorType = '' } = outcome
      let cached = byConnection.get(connection)
      if (!cached) byConnection.set(connection, (cached = new Map()))
      const key = `${method} ${errorType} ${target}`
      const found = cached.get(key)
      if (found) return found
      const known = names.limit(operation, outcome)
      const attributes = { ...operationAttributes(known), ...connection, ...outcomeAttributes(outcome) }
      if (known === operation && cached.size < MAX_CACHED) cached.set(key, attributes)
      return attributes
    },
  }
}

/** Creates the histogram on first use: unlike tracers, meters of a provider that is registered later are not found. */
function createDurationHistogram(side: 'client' | 'server', provider: MeterProvider = metrics.getMeterProvider()): Histogram {
  return provider.getMeter(SCOPE).createHistogram(`mcp.${side}.operation.duration`, {
    unit: 's',
    description: DESCRIPTIONS[side],
    advice: { explicitBucketBoundaries: [...DURATION_BUCKETS] },
  })
}

/** Returns the name of the span of an operation. URIs are too many for names. */
export function spanName({ method, kind, target }: TracedOperation): string {
  return target === undefined || kind === 'resource' ? method : `${method} ${target}`
}

/** Ends a span with an outcome. */
export function endSpan(span: Span, outcome: Outcome): void {
  const { errorType, message } = outcome
  if (errorType !== undefined && span.isRecording()) {
    span.setAttributes(outcomeAttributes(outcome))
    span.setStatus({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) })
  }
  span.end()
}
