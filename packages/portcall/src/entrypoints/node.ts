/** Servers over HTTP with `node:http`. `portcall/http` exports the types of their options. @module */
import type { AddressInfo } from 'node:net'
import { assertServer } from '../server/assert-server.ts'
import type { ServerLike } from '../server/types.ts'
import { createNodeHandler, type NodeHandler } from '../transports/http/server/node/handler.ts'
import { createHealthChecks, type HealthOptions } from '../transports/http/server/node/health.ts'
import { explainListenError } from '../transports/http/server/node/listen-error.ts'
import { createNodeServer, type NodeServerLimits } from '../transports/http/server/node/server.ts'
import { checkHttpOptions, HTTP_OPTION_NAMES, type HttpOptions, httpOptionsOf } from '../transports/http/server/options.ts'
import { assertNodeVersion } from '../util/assert-node-version.ts'
import type { OptionNames } from '../util/check-options.ts'
import { delay } from '../util/timers.ts'

export type { NodeHandler } from '../transports/http/server/node/handler.ts'
export type { HealthOptions } from '../transports/http/server/node/health.ts'
export type { NodeServerLimits } from '../transports/http/server/node/server.ts'

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
   * How long the server goes on serving after a signal, in milliseconds. Meanwhile `/readyz` responds with 503, so that load balancers send
   * requests elsewhere before it stops. Default: 0.
   */
  readonly shutdownDelayMs?: number
  /** Closes the server and exits on SIGTERM and SIGINT. Default: true. */
  readonly handleProcessSignals?: boolean
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
  shutdownDelayMs: 1,
  drainTimeoutMs: 1,
  handleProcessSignals: 1,
  ...HTTP_OPTION_NAMES,
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const
const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost'])

/**
 * Serves a server over HTTP to clients of every protocol revision.
 *
 * @throws Error if `host` is not a loopback address and `allowedHosts` is missing, or if the port is in use.
 */
export async function serve(server: ServerLike, options: ServeOptions = {}): Promise<ListeningServer> {
  assertServer(server, 'serve')
  checkHttpOptions('serve()', options, SERVE_OPTION_NAMES)
  const {
    port = 3000,
    host = '127.0.0.1',
    path = '/mcp',
    drainTimeoutMs,
    shutdownDelayMs = 0,
    handleProcessSignals = true,
  } = options
  if (!LOOPBACK.has(host) && !options.allowedHosts)
    throw new Error(`Listening on ${host} requires the host names of this server, such as allowedHosts: ['api.example.com']`)
  if (!path.startsWith('/')) throw new TypeError(`path must start with a slash: '/${path}'`)
  const httpOptions = httpOptionsOf(server, options)
  const healthChecks =
    options.health === false ? undefined : createHealthChecks({ options: options.health ?? {}, stores: httpOptions.stores })
  const http = createNodeServer(server.exchange, { ...httpOptions, path, healthChecks })
  await new Promise<void>((resolve, reject) => {
    const fail = (error: unknown): void => reject(explainListenError(error, { host, port }))
    try {
      http.server.once('error', fail).listen(port, host, resolve)
    } catch (error) {
      fail(error)
    }
  })
  const bound = http.server.address() as AddressInfo
  let closing: Promise<void> | undefined
  let removeSignalHandlers: (() => void) | undefined
  const close = (): Promise<void> => {
    removeSignalHandlers?.()
    healthChecks?.stop()
    server.close()
    return (closing ??= http.close(drainTimeoutMs))
  }
  const closeAfterDelay = async (): Promise<void> => {
    healthChecks?.stop()
    if (shutdownDelayMs > 0) await delay(shutdownDelayMs)
    await close()
  }
  if (handleProcessSignals) removeSignalHandlers = exitOnSignals(closeAfterDelay)
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound.port}${path.replace(/\/\*$/, '')}`,
    port: bound.port,
    close,
  }
}

/** Creates a handler for an existing server or framework: `app.all('/mcp', nodeHandler(server))`. */
export function nodeHandler(server: ServerLike, options: HttpOptions = {}): NodeHandler {
  assertServer(server, 'nodeHandler')
  checkHttpOptions('nodeHandler()', options)
  const handler = createNodeHandler(server.exchange, httpOptionsOf(server, options))
  const close: NodeHandler['close'] = (drainTimeoutMs) => {
    server.close()
    return handler.close(drainTimeoutMs)
  }
  return Object.assign((...args: Parameters<NodeHandler>) => handler(...args), { close })
}

/** On the first signal, closes and exits. Returns a function that removes the signal handlers. */
function exitOnSignals(close: () => Promise<void>): () => void {
  const exit = (): void => void close().then(() => process.exit())
  for (const signal of SIGNALS) process.once(signal, exit)
  return () => {
    for (const signal of SIGNALS) process.off(signal, exit)
  }
}
