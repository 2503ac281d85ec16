/**
 * Traces a server as in production: a batch exporter over OTLP to another process, and one call in ten is sampled. With `bare`, the SDK is
 * called as little as possible: the lower bound of what tracing costs.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { metrics, trace as traces } from '@opentelemetry/api'
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

/** Middleware that records one span and one duration, and neither reads nor passes on the context of a trace. */
function bareTelemetry() {
  const tracer = traces.getTracer('bare')
  const durations = metrics.getMeter('bare').createHistogram('duration')
  const attributes = { 'mcp.method.name': 'tools/call' }
  return async (request, context, next) => {
    const startedAt = performance.now()
    const span = tracer.startSpan('tools/call', { attributes })
    const response = await next(request, context)
    span.end()
    durations.record((performance.now() - startedAt) / 1000, attributes)
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
