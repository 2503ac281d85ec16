import prometheus, { type Registry } from 'prom-client'
import { checkOptions, type OptionNames } from '../../../../util/src/check-options.ts'
import { constantTimeEqual } from '../../../../util/src/digest.ts'
import type { Middleware } from '../../jsonrpc/exchange.ts'
import type { EndpointSizes, MetricsPage } from '../../protocol/metrics.ts'
import { decorateBus, decorateLog, decorateStore, type OperationDecorator } from '../../stores/decorate.ts'
import type { Stores } from '../../stores/stores.ts'
import { createQueueSizes, type ReadQueueSize } from '../queue-sizes.ts'
import { createEndpointGauges } from './endpoint-gauges.ts'
import { createRequestMetrics } from './request-metrics.ts'
import { createTaskMetrics, type TaskMetrics } from './task-metrics.ts'

/** Options of `metrics`. */
export interface MetricsOptions {
  /** Where the metrics are registered, such as `register` of prom-client. Default: a registry of its own. */
  readonly registry?: Registry
  /** True if the page also shows CPU, memory, event loop and garbage collection of this process. Default: true. */
  readonly processMetrics?: boolean
  /** The path of the page. Default: `/metrics`. */
  readonly path?: string
  /** The token that a scraper has to send as `Authorization: Bearer TOKEN`. Default: everyone who reaches the port may read the page. */
  readonly token?: string
}

/** Metrics for Prometheus. Pass it as `metrics` to `serve`. */
export interface Metrics extends MetricsPage {
  /** Measures the requests of a server or a gateway: `server.use(metrics.middleware)`. */
  readonly middleware: Middleware
  /** Measures the runs of tasks: `tasks({ middleware: [metrics.tasks.middleware] })`. */
  readonly tasks: TaskMetrics
  /** Shows the size of a queue as `portcall_queue_size`. It is read on each scrape. Returns a function that stops it. */
  queue(name: string, read: ReadQueueSize): () => void
  /** Returns stores that measure how long each operation takes. */
  stores<S extends Pick<Stores, 'store' | 'log' | 'bus'>>(stores: S): S
  /** The registry, for metrics of your own. */
  readonly registry: Registry
}

/** Store operations are expected to take milliseconds. */
const STORE_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

const NAMES: OptionNames<MetricsOptions> = { registry: 'object', processMetrics: 'boolean', path: 'text', token: 'text' }

/**
 * Creates metrics that Prometheus can scrape, with prom-client.
 *
 * @example
 * const prometheus = metrics()
 * server.use(prometheus.middleware)
 * await serve(server, { metrics: prometheus })
 */
export function metrics(options: MetricsOptions = {}): Metrics {
  checkOptions('metrics()', options, { names: NAMES })
  const { registry = new prometheus.Registry(), processMetrics = true, path = '/metrics', token } = options
  if (processMetrics) prometheus.collectDefaultMetrics({ register: registry })
  const gauges = createEndpointGauges(registry)
  const decorate = createStoreTimer(registry)
  return {
    registry,
    middleware: createRequestMetrics(registry),
    tasks: createTaskMetrics(registry),
    queue: createQueueGauge(registry),
    stores(stores) {
      return {
        ...stores,
        store: decorateStore(stores.store, decorate),
        log: decorateLog(stores.log, decorate),
        bus: decorateBus(stores.bus, decorate),
      }
    },
    path,
    contentType: registry.contentType,
    isAllowed: (authorization = '') => token === undefined || constantTimeEqual(authorization, `Bearer ${token}`),
    render: () => registry.metrics(),
    snapshot: () => registry.getMetricsAsJSON(),
    renderAll(snapshots) {
      const all: Registry = prometheus.AggregatorRegistry.aggregate(snapshots as object[])
      all.setContentType(registry.contentType)
      return all.metrics()
    },
    observe: (sizes: () => EndpointSizes) => gauges.add(sizes),
  }
}

/** Creates the gauge of queues. Returns what adds one. */
function createQueueGauge(registry: Registry): Metrics['queue'] {
  const queues = createQueueSizes()
  new prometheus.Gauge({
    name: 'portcall_queue_size',
    help: 'Tasks or requests in a queue.',
    labelNames: ['queue'],
    // All workers of a server read the same queue.
    aggregator: 'max',
    registers: [registry],
    async collect() {
      const sizes = await queues.read()
      this.reset()
      for (const [queue, size] of sizes) this.set({ queue }, size)
    },
  })
  return queues.add
}

/** Creates the decorator that measures operations on stores. */
function createStoreTimer(registry: Registry): OperationDecorator {
  const histogram = new prometheus.Histogram({
    name: 'portcall_store_operation_duration_seconds',
    help: 'The duration of operations on stores.',
    labelNames: ['operation', 'outcome'],
    buckets: STORE_BUCKETS,
    registers: [registry],
  })
  return async (run, operation) => {
    const startedAt = performance.now()
    const measure = (outcome: 'ok' | 'error'): void =>
      histogram.observe({ operation, outcome }, (performance.now() - startedAt) / 1000)
    try {
      const value = await run()
      measure('ok')
      return value
    } catch (error) {
      measure('error')
      throw error
    }
  }
}
