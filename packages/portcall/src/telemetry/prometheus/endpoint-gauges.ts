import prometheus, { type Registry } from 'prom-client'
import type { EndpointSizes } from '../../protocol/metrics.ts'

/** Gauges of the sizes of endpoints, read on each scrape. */
export interface EndpointGauges {
  /** Adds an endpoint. Returns a function that removes it. */
  add(sizes: () => EndpointSizes): () => void
}

const GAUGES: { readonly [size in keyof EndpointSizes]: { readonly name: string; readonly help: string } } = {
  sessions: { name: 'portcall_sessions', help: 'Sessions of clients of the older protocol revisions.' },
  requests: { name: 'portcall_http_requests_in_progress', help: 'HTTP requests that are being answered.' },
  streams: { name: 'portcall_streams', help: 'Open event streams.' },
  bufferedBytes: { name: 'portcall_stream_buffered_bytes', help: 'Bytes that readers of streams have not taken yet.' },
}

/** Creates the gauges. Several endpoints of one process are added up. */
export function createEndpointGauges(registry: Registry): EndpointGauges {
  const endpoints = new Set<() => EndpointSizes>()
  const sizes = Object.keys(GAUGES) as (keyof EndpointSizes)[]
  for (const size of sizes)
    new prometheus.Gauge({
      ...GAUGES[size],
      registers: [registry],
      collect() {
        this.set([...endpoints].reduce((sum, read) => sum + read()[size], 0))
      },
    })
  return {
    add(read) {
      endpoints.add(read)
      return () => void endpoints.delete(read)
    },
  }
}
