/**
 * Traces a server as in production: a batch exporter over OTLP to another process, and one call in ten is sampled. With `bare`, the SDK records
 * the same span and the same duration without anything around it: the lower bound of what tracing costs.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { context as active, metrics, SpanKind, trace as traces } from '@opentelemetry/api'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-node'
import { serverTelemetry } from 'portcall/telemetry'

/** Starts the receiver in a process of its own, which ends with this one. Resolves to its URL. */
async function startReceiver() {
  const receiver = spawn(process.execPath, [fileURLToPath(new URL('receiver.mjs', import.meta.url))], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  receiver.unref()
  const [line] = await once(receiver.stdout, 'data')
  receiver.stdout.unref?.()
  return String(line).trim()
}

/** The attributes of the span and of the duration of a call. */
const SPAN = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'add', 'mcp.method.name': 'tools/call' }
const POINT = {
  ...SPAN,
  'mcp.protocol.version': '2026-07-28',
  'network.protocol.name': 'http',
  'network.protocol.version': '1.1',
  'network.transport': 'tcp',
}

/** Middleware that records one span and one duration, and neither reads nor passes on the context of a trace. */
function bareTelemetry() {
  const tracer = traces.getTracer('bare')
  const durations = metrics.getMeter('bare').createHistogram('duration')
  return async (request, context, next) => {
    const startedAt = performance.now()
    const span = tracer.startSpan('tools/call add', { kind: SpanKind.SERVER, attributes: SPAN })
    const response = await active.with(traces.setSpan(active.active(), span), next, undefined, request, context)
    span.end()
    durations.record((performance.now() - startedAt) / 1000, POINT)
    return response
  }
}

/** Sets up the SDK and adds the middleware. `kind` is `on` or `bare`. */
export async function trace(server, kind) {
  const url = await startReceiver()
  const sampler = new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(0.1) })
  const processor = new BatchSpanProcessor(new OTLPTraceExporter({ url: `${url}/v1/traces` }))
  new NodeTracerProvider({ sampler, spanProcessors: [processor] }).register()
  const reader = new PeriodicExportingMetricReader({ exporter: new OTLPMetricExporter({ url: `${url}/v1/metrics` }) })
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }))
  server.use(kind === 'bare' ? bareTelemetry() : serverTelemetry())
}
