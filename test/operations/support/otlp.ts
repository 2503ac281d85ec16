import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { metrics, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import { afterEach, beforeEach } from 'vitest'

/** An attribute as OTLP encodes it in JSON. */
interface OtlpAttribute {
  readonly key: string
  readonly value: { readonly stringValue?: string; readonly intValue?: number | string }
}

/** A span as a collector receives it. */
export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number
  readonly status: { readonly code?: number; readonly message?: string }
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[]
  readonly attributes: { readonly [key: string]: string | number | undefined }
  /** The process that sent it, from the resource. */
  readonly service: string | number | undefined
}

/** A data point of a histogram or a gauge as a collector receives it. */
export interface ReceivedPoint {
  readonly metric: string
  readonly unit: string
  readonly count: number
  readonly bounds: readonly number[]
  /** The value of a gauge. */
  readonly value: number | undefined
  readonly attributes: { readonly [key: string]: string | number | undefined }
}

/** A receiver of OTLP over HTTP, like that of an OpenTelemetry collector. */
export interface OtlpReceiver {
  readonly url: string
  readonly spans: ReceivedSpan[]
  readonly points: ReceivedPoint[]
  /** Returns everything that was received, as text. */
  text(): string
  close(): void
}

const attributesOf = (list: readonly OtlpAttribute[] = []): ReceivedSpan['attributes'] =>
  Object.fromEntries(
    list.map(({ key, value }) => [key, value.stringValue ?? (value.intValue === undefined ? undefined : Number(value.intValue))]),
  )

/** Starts a receiver on any free port of the loopback interface. */
export async function startReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = []
  const points: ReceivedPoint[] = []
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    // An exporter that ends may connect without sending anything.
    if (chunks.length === 0) return void response.end('{}')
    const text = Buffer.concat(chunks).toString()
    bodies.push(text)
    const body = JSON.parse(text)
    for (const { resource, scopeSpans } of body.resourceSpans ?? []) {
      const service = attributesOf(resource.attributes)['service.name']
      for (const span of scopeSpans.flatMap((scope: { spans: object[] }) => scope.spans))
        spans.push({ ...span, links: span.links ?? [], attributes: attributesOf(span.attributes), service })
    }
    for (const metric of (body.resourceMetrics ?? []).flatMap((one: any) => one.scopeMetrics).flatMap((one: any) => one.metrics))
      for (const point of (metric.histogram ?? metric.gauge)?.dataPoints ?? [])
        points.push({
          metric: metric.name,
          unit: metric.unit,
          count: Number(point.count),
          bounds: point.explicitBounds,
          value: point.asInt === undefined ? point.asDouble : Number(point.asInt),
          attributes: attributesOf(point.attributes),
        })
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    points,
    text: () => bodies.join('\n'),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** The SDK of a program, as its documentation sets it up. */
export interface Sdk {
  /** Sends everything that was recorded. */
  flush(): Promise<void>
  stop(): Promise<void>
}

/** Sets up OpenTelemetry's SDK for this process, with exporters to a receiver. */
export function startSdk(url: string): Sdk {
  const processor = new BatchSpanProcessor(new OTLPTraceExporter({ url: `${url}/v1/traces` }))
  const tracerProvider = new NodeTracerProvider({ spanProcessors: [processor] })
  tracerProvider.register({ contextManager: new AsyncLocalStorageContextManager() })
  const exporter = new OTLPMetricExporter({ url: `${url}/v1/metrics` })
  const meterProvider = new MeterProvider({
    readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })],
  })
  metrics.setGlobalMeterProvider(meterProvider)
  return {
    async flush() {
      await Promise.all([tracerProvider.forceFlush(), meterProvider.forceFlush()])
    },
    async stop() {
      await Promise.all([tracerProvider.shutdown(), meterProvider.shutdown()])
      trace.disable()
      metrics.disable()
      propagation.disable()
    },
  }
}

/** A receiver and the SDK that sends to it. */
export interface Telemetry {
  receiver: OtlpReceiver
  sdk: Sdk
}

/** Starts both before each test of a file, and stops them after it. */
export function useTelemetry(): Telemetry {
  const telemetry = {} as Telemetry
  beforeEach(async () => {
    telemetry.receiver = await startReceiver()
    telemetry.sdk = startSdk(telemetry.receiver.url)
  })
  afterEach(async () => {
    await telemetry.sdk.stop()
    telemetry.receiver.close()
  })
  return telemetry
}
