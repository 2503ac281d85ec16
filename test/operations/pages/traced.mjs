import { metrics } from '@opentelemetry/api'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import { createServer } from 'portcall'
import { serve } from 'portcall/node'
import { serverTelemetry } from 'portcall/telemetry'

new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())] }).register()
const reader = new PeriodicExportingMetricReader({ exporter: new OTLPMetricExporter() })
metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }))

const server = createServer({ name: 'shop', version: '1.0.0' })
server.use(serverTelemetry())

server.tool('price', { description: 'Return the price of a pear' }, () => 'A pear costs 1 €')

await serve(server, { port: Number(process.env.PORT ?? 3000) })
