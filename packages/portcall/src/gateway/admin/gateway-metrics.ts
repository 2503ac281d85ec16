import type { GatewayStatus, UpstreamStatus } from '../api/status.ts'

/** The state of a server, and its counters if they are kept. */
export interface ServerMetricsSource extends UpstreamStatus {
  /** Calls, reads and prompts. */
  readonly calls?: number
  /** Calls that failed. */
  readonly errors?: number
  /** Times the server was connected again. */
  readonly restarts?: number
}

/** Input of `gatewayMetrics`: the status of a gateway, and further values if they are known. */
export interface GatewayMetricsSource extends GatewayStatus {
  /** The servers, by name. */
  readonly servers: { readonly [name: string]: ServerMetricsSource }
  /** The resident memory of the process. */
  readonly memoryBytes?: number
  /** Times the configuration was reloaded. */
  readonly reloads?: number
  /** Start time of the gateway, as an ISO date. */
  readonly startedAt?: string
}

/** A metric of each server. */
interface ServerMetric {
  readonly name: string
  readonly type: 'counter' | 'gauge'
  readonly help: string
  readonly value: (server: ServerMetricsSource) => number | undefined
}

const SERVER_METRICS: readonly ServerMetric[] = [
  { name: 'up', type: 'gauge', help: 'Whether the server is available.', value: ({ state }) => (state === 'ready' ? 1 : 0) },
  { name: 'calls_total', type: 'counter', help: 'Calls, reads and prompts.', value: ({ calls }) => calls },
  { name: 'errors_total', type: 'counter', help: 'Calls that failed.', value: ({ errors }) => errors },
  { name: 'requests_total', type: 'counter', help: 'Requests of all kinds.', value: ({ requests }) => requests },
  { name: 'restarts_total', type: 'counter', help: 'Times the server was connected again.', value: ({ restarts }) => restarts },
  { name: 'connections', type: 'gauge', help: 'Open connections.', value: ({ connections }) => connections },
  { name: 'requests_in_flight', type: 'gauge', help: 'Requests that wait for a response.', value: ({ inFlight }) => inFlight },
  { name: 'failures', type: 'gauge', help: 'Failures since the last success.', value: ({ failures }) => failures },
]

/**
 * Formats the status of a gateway in the Prometheus text format.
 *
 * @example
 * await serveAdmin({ ...actions, metrics: () => gatewayMetrics(gateway.status()) }, { token })
 */
export function gatewayMetrics(status: GatewayMetricsSource): string {
  const { servers, subscriptions, memoryBytes, reloads, startedAt } = status
  const process = [
    metric('subscriptions', { type: 'gauge', help: 'Open subscriptions of clients.' }, [['', subscriptions]]),
    metric('memory_bytes', { type: 'gauge', help: 'Resident memory.' }, [['', memoryBytes]]),
    metric('reloads_total', { type: 'counter', help: 'Times the configuration was reloaded.' }, [['', reloads]]),
    metric('start_time_seconds', { type: 'gauge', help: 'When the gateway started.' }, [
      ['', startedAt && Date.parse(startedAt) / 1000],
    ]),
  ]
  const perServer = SERVER_METRICS.map(({ name, value, ...head }) =>
    metric(
      `server_${name}`,
      head,
      Object.entries(servers).map(([server, row]) => [`{server="${escapeLabel(server)}"}`, value(row)] as const),
    ),
  )
  return `${[...process, ...perServer].filter((text) => text !== '').join('\n')}\n`
}

/** Returns the lines of a metric. Empty if none of its values is known. */
function metric(
  name: string,
  { type, help }: { readonly type: string; readonly help: string },
  samples: readonly (readonly [labels: string, value: number | '' | undefined])[],
): string {
  const full = `portcall_gateway_${name}`
  const known = samples.filter(([, value]) => value !== undefined && value !== '')
  if (known.length === 0) return ''
  const lines = known.map(([labels, value]) => `${full}${labels} ${value}`)
  return [`# HELP ${full} ${help}`, `# TYPE ${full} ${type}`, ...lines].join('\n')
}

function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
