/** A program with two tools over stdio, which sends a span of each request to the receiver whose URL is its argument. */
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
import { createServer } from 'portcall'
import { serveStdio } from 'portcall/stdio'
import { serverTelemetry } from 'portcall/telemetry'

const exporter = new OTLPTraceExporter({ url: `${process.argv[2]}/v1/traces` })
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register()

const server = createServer({ name: 'program', version: '1' })
server.use(serverTelemetry())
server.tool('add', {}, () => '1')
server.tool('exit', {}, () => process.exit(1))

await serveStdio(server)
