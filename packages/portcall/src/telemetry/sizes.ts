import { type MeterProvider, metrics } from '@opentelemetry/api'
import type { EndpointObserver, EndpointSizes } from '../protocol/metrics.ts'
import { SCOPE } from './instruments.ts'
import { createQueueSizes, type ReadQueueSize } from './queue-sizes.ts'

/** Options of `sizeTelemetry`. */
export interface SizeTelemetryOptions {
  /** Creates the gauges. Default: the global provider. */
  readonly meterProvider?: MeterProvider
}

/** Gauges of sizes. Pass it as `metrics` to `serve`. */
export interface SizeTelemetry extends EndpointObserver {
  /** Shows the size of a queue as `portcall.queue.size`. It is read for each export. Returns a function that stops it. */
  queue(name: string, read: ReadQueueSize): () => void
}

const GAUGES: {
  readonly [size in keyof EndpointSizes]: { readonly name: string; readonly unit: string; readonly description: string }
} = {
  sessions: { name: 'portcall.sessions', unit: '{session}', description: 'Sessions of clients of the older protocol revisions.' },
  requests: { name: 'portcall.http.requests', unit: '{request}', description: 'HTTP requests that are being answered.' },
  streams: { name: 'portcall.streams', unit: '{stream}', description: 'Open event streams.' },
  bufferedBytes: {
    name: 'portcall.stream.buffered',
    unit: 'By',
    description: 'Bytes that readers of streams have not taken yet.',
  },
}

/**
 * Creates gauges of the sizes of endpoints and queues with OpenTelemetry. Set up the SDK first: unlike spans, gauges do not find a global provider
 * that is registered later.
 *
 * @example
 * const sizes = sizeTelemetry()
 * sizes.queue('tasks', server.tasks.countQueued)
 * await serve(server, { metrics: sizes })
 */
export function sizeTelemetry({ meterProvider = metrics.getMeterProvider() }: SizeTelemetryOptions = {}): SizeTelemetry {
  const meter = meterProvider.getMeter(SCOPE)
  const endpoints = new Set<() => EndpointSizes>()
  const queues = createQueueSizes()
  for (const size of Object.keys(GAUGES) as (keyof EndpointSizes)[]) {
    const { name, ...options } = GAUGES[size]
    meter.createObservableGauge(name, options).addCallback((result) => {
      if (endpoints.size > 0) result.observe([...endpoints].reduce((sum, read) => sum + read()[size], 0))
    })
  }
  const queueSize = { unit: '{item}', description: 'Tasks or requests in a queue.' }
  meter.createObservableGauge('portcall.queue.size', queueSize).addCallback(async (result) => {
    for (const [name, size] of await queues.read()) result.observe(size, { 'portcall.queue.name': name })
  })
  return {
    observe(sizes) {
      endpoints.add(sizes)
      return () => void endpoints.delete(sizes)
    },
    queue: queues.add,
  }
}
