import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import process from 'node:process'
import { assertNodeVersion } from '../../../util/src/assert-node-version.ts'
import type { OptionNames } from '../../../util/src/check-options.ts'
import { isLoopbackListener } from '../../../util/src/loopback-host.ts'
import { countWorkers } from '../cluster/count-workers.ts'
import { joinSupervisor, type SupervisorLink } from '../cluster/join-supervisor.ts'
import { createShutdown, ignoreSignals } from '../cluster/shutdown.ts'
import { workerSettings } from '../cluster/worker-settings.ts'
import type { EndpointObserver, MetricsPage } from '../protocol/metrics.ts'
import { assertServer } from '../server/assert-server.ts'
import type { ServerLike } from '../server/types.ts'
import { isProcessLocal } from '../stores/process-local.ts'
import { sharedStores } from '../stores/shared-stores.ts'
import { DRAIN_TIMEOUT_MS } from '../transports/http/server/limits.ts'
import { createNodeHandler, type NodeHandler } from '../transports/http/server/node/handler.ts'
import { createHealthChecks, type HealthOptions } from '../transports/http/server/node/health.ts'
import { explainListenError } from '../transports/http/server/node/listen-error.ts'
import { createNodeServer, type NodeServerLimits } from '../transports/http/server/node/server.ts'
import { checkHttpOptions, HTTP_OPTION_NAMES, type HttpOptions, httpOptionsOf } from '../transports/http/server/options.ts'
import { endpointOptionsOf } from './endpoint-options.ts'

assertNodeVersion()

/** Options of `serve`. */
export interface ServeOptions extends HttpOptions, NodeServerLimits {
  /** The port to listen on; 0 for any free port. Default: 3000. */
  readonly port?: number
  /** The address to listen on. Addresses that are not loopback require `allowedHosts`. Default: 127.0.0.1. */
  readonly host?: string
  /** The path of the endpoint. `/mcp/*` stands for `/mcp` and all paths below. Default: `/mcp`. */
  readonly path?: string
  /** How long running calls may take to finish when the server closes, in milliseconds. Default: 10,000. */
  readonly drainTimeoutMs?: number
  /**
   * The health checks `GET /livez` and `GET /readyz`, for orchestrators and load balancers; `false` disables them. They need no
   * authentication, accept any `Host`, and respond without details. Default: enabled.
   */
  readonly health?: HealthOptions | false
  /**
   * The metrics to show to Prometheus at `GET /metrics`, any `Host` accepted: `metrics()` of `portcall/metrics`. Or `sizeTelemetry()` of
   * `portcall/telemetry`, which shows the sizes of the endpoint with OpenTelemetry. Default: none.
   */
  readonly metrics?: MetricsPage | EndpointObserver
  /**
   * How long the server goes on serving after a signal, in milliseconds. Meanwhile `/readyz` responds with 503, so that load balancers send
   * requests elsewhere before it stops. Default: 0.
   */
  readonly shutdownDelayMs?: number
  /** Closes the server and exits on SIGTERM and SIGINT. Default: true. */
  readonly handleProcessSignals?: boolean
  /**
   * The number of processes that serve this port, or `'auto'` for one per core. If there is more than one, each of them runs your program from
   * the start, and this process only supervises them. They share sessions through the `stores` of the server, by default an SQLite file.
   * Node.js only. Default: 1.
   */
  readonly workers?: number | 'auto'
}

/** A listening server. */
export interface ListeningServer {
  /** The URL of the MCP endpoint. */
  readonly url: string
  /** The port that the server listens on. */
  readonly port: number
  /** Stops accepting requests, ends streams with a result, waits for running calls, then closes all connections. */
  close(): Promise<void>
}

const SERVE_OPTION_NAMES: OptionNames<ServeOptions> = {
  port: 1,
  host: 1,
  headersTimeoutMs: 1,
  keepAliveTimeoutMs: 1,
  maxHeaderBytes: 1,
  maxRequestsPerSocket: 1,
  fastPath: 1,
  health: 1,
  metrics: 1,
  shutdownDelayMs: 1,
  drainTimeoutMs: 1,
  handleProcessSignals: 1,
  workers: 1,
  ...HTTP_OPTION_NAMES,
}

/**
 * The number of this process among the `workers` of `serve`, from 1. It is undefined in the process that supervises them, and in programs
 * without workers. A worker that is started again keeps its number.
 */
export const workerNumber: number | undefined = workerSettings?.number

/**
 * Serves a server over HTTP to clients of every protocol revision.
 *
 * @throws Error if `host` is not a loopback address and `allowedHosts` is missing, or if the port is in use.
 */
export async function serve(server: ServerLike, options: ServeOptions = {}): Promise<ListeningServer> {
  assertServer(server, 'serve')
  checkHttpOptions('serve()', options, SERVE_OPTION_NAMES)
  const { port = 3000, host = '127.0.0.1', path = '/mcp' } = options
  if (!isLoopbackListener(host) && !options.allowedHosts)
    throw new Error(`Listening on ${host} requires the host names of this server, such as allowedHosts: ['api.example.com']`)
  if (!path.startsWith('/')) throw new TypeError(`path must start with a slash: '/${path}'`)
  const address = { port, host }
  const hasWorkers = countWorkers(options.workers) > 1
  if (hasWorkers && isProcessLocal(httpOptionsOf(server, options).stores))
    throw new TypeError(
      'workers share sessions through the stores of the server, but each process would have its own of these, which are in memory. Pass stores in a file or on a server, or none: then the workers share an SQLite file',
    )
  const isSupervisor = hasWorkers && !workerSettings
  const running = isSupervisor ? await supervise(server, options, address) : await serveHere(server, options, address)
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${running.port}${path.replace(/\/\*$/, '')}`, ...running }
}

/** A server of this process, or the workers that serve in its place. */
interface Running {
  readonly port: number
  close(): Promise<void>
}

interface Address {
  readonly host: string
  readonly port: number
}

/** Serves in this process: on a port, or the connections that the supervisor passes to this worker. */
async function serveHere(server: ServerLike, options: ServeOptions, address: Address): Promise<Running> {
  const { path = '/mcp', drainTimeoutMs, shutdownDelayMs = 0, handleProcessSignals = true } = options
  const httpOptions = endpointOptionsOf(server, { ...options, path })
  const healthChecks =
    options.health === false
      ? undefined
      : createHealthChecks({ options: options.health ?? {}, stores: httpOptions.stores ?? sharedStores() })
  const worker = options.workers === undefined ? undefined : workerSettings
  let link: SupervisorLink | undefined
  const metrics = worker ? withAllWorkers(options.metrics, () => link) : options.metrics
  const http = createNodeServer(server.exchange, { ...httpOptions, healthChecks, metrics })
  if (!worker) await listen(http.server, address)
  const stopReadiness = (): void => healthChecks?.stop()
  const closeServers = (): Promise<void> => {
    server.close()
    return http.close(drainTimeoutMs)
  }
  const close = createShutdown(
    { stopReadiness, close: closeServers },
    { shutdownDelayMs, handleProcessSignals: handleProcessSignals && !worker },
  )
  if (!worker) {
    const { port } = http.server.address() as AddressInfo
    return { port, close }
  }
  if (handleProcessSignals) ignoreSignals()
  const joined = joinSupervisor(http.server, {
    onStopReadiness: stopReadiness,
    takeSnapshot: async () => (isPage(metrics) ? metrics.snapshot?.() : undefined),
    onClose: () => close().then(() => (handleProcessSignals ? process.exit() : joined.leave())),
  })
  link = joined
  const closeWorker = (): Promise<void> => {
    joined.announceClosing()
    return close().then(joined.leave)
  }
  return { port: worker.port, close: closeWorker }
}

const isPage = (metrics: ServeOptions['metrics']): metrics is MetricsPage => metrics !== undefined && 'render' in metrics

/** Returns a page that shows the metrics of all workers, whichever of them responds. */
function withAllWorkers(metrics: ServeOptions['metrics'], link: () => SupervisorLink | undefined): ServeOptions['metrics'] {
  if (!isPage(metrics) || !metrics.renderAll) return metrics
  const { renderAll } = metrics
  const render = async (): Promise<string> => {
    const snapshots = await link()?.collectSnapshots()
    return snapshots ? renderAll(snapshots) : metrics.render()
  }
  return { ...metrics, render }
}

/** Starts the workers, which serve in the place of this process. */
async function supervise(server: ServerLike, options: ServeOptions, address: Address): Promise<Running> {
  const { drainTimeoutMs = DRAIN_TIMEOUT_MS, shutdownDelayMs = 0, handleProcessSignals = true } = options
  const { serveWithWorkers } = await import('../cluster/serve-workers.ts')
  const listening = await serveWithWorkers({
    ...address,
    count: countWorkers(options.workers),
    hasStores: httpOptionsOf(server, options).stores !== undefined,
    onError: options.onError ?? server.reportError,
  }).catch((error: unknown) => {
    throw explainListenError(error, address)
  })
  const { port, ready, ended, stopReadiness } = listening
  const closeWorkers = (): Promise<void> => {
    server.close()
    return listening.close(drainTimeoutMs)
  }
  const close = createShutdown({ stopReadiness, close: closeWorkers }, { shutdownDelayMs, handleProcessSignals })
  void ended.then(close)
  // The signals are handled from here on: the first workers serve before the last one does.
  await ready.catch(async (error: unknown) => {
    await close()
    throw error
  })
  return { port, close }
}

function listen(http: Server, { port, host }: Address): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => reject(explainListenError(error, { host, port }))
    try {
      http.once('error', fail).listen(port, host, resolve)
    } catch (error) {
      fail(error)
    }
  })
}

/** Creates a handler for an existing server or framework: `app.all('/mcp', nodeHandler(server))`. */
export function nodeHandler(server: ServerLike, options: HttpOptions = {}): NodeHandler {
  assertServer(server, 'nodeHandler')
  checkHttpOptions('nodeHandler()', options)
  const handler = createNodeHandler(server.exchange, endpointOptionsOf(server, options))
  const close: NodeHandler['close'] = (drainTimeoutMs) => {
    server.close()
    return handler.close(drainTimeoutMs)
  }
  return Object.assign((...args: Parameters<NodeHandler>) => handler(...args), { close })
}
