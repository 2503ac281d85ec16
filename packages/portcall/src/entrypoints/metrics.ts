/** Metrics for Prometheus, without OpenTelemetry. It needs the package `prom-client`. @module */

export type { Middleware } from '../jsonrpc/exchange.ts'
export type { EndpointObserver, EndpointSizes, MetricsPage } from '../protocol/metrics.ts'
export type { Stores } from '../stores/stores.ts'
export { type Metrics, type MetricsOptions, metrics } from '../telemetry/prometheus/metrics.ts'
export type { TaskMetrics } from '../telemetry/prometheus/task-metrics.ts'
export type { ReadQueueSize } from '../telemetry/queue-sizes.ts'
