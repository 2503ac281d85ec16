import { createServer, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate } from 'node:timers'
import { setTimeout as delay } from 'node:timers/promises'
import { answerSafely } from '../../../../../../util/src/answer-safely.ts'
import type { Exchange } from '../../../../jsonrpc/exchange.ts'
import type { EndpointObserver, MetricsPage } from '../../../../protocol/metrics.ts'
import { createWriteBatcher } from '../../common/write-batcher.ts'
import { attachFastPath, NO_FAST_PATH } from '../fast-path/fast-path.ts'
import { createHttpHandler } from '../handler.ts'
import { DRAIN_TIMEOUT_MS } from '../limits.ts'
import type { EndpointOptions } from '../options.ts'
import { createClientErrors, sendClientError } from './client-error.ts'
import { closeParsed } from './graceful-close.ts'
import { adaptToNode } from './handler.ts'
import type { HealthChecks } from './health.ts'
import { respondWithMetrics } from './metrics-page.ts'

/** Settings of Node's HTTP server. None of them ends a stream that is in use. */
export interface NodeServerLimits {
  /** Time allowed to receive the head of a request; 408 after that. Default: 10 s. */
  readonly headersTimeoutMs?: number
  /** A connection without requests is closed after this time. Default: 65 s, a little more than in most load balancers. */
  readonly keepAliveTimeoutMs?: number
  /** Total size of the request headers. Larger ones get 431. Default: 16 KiB. */
  readonly maxHeaderBytes?: number
  /**
   * Requests on one connection, as with `node:http`: the response to the last one has `Connection: close`, and further requests get 503. A limit
   * turns the fast path off. Default: no limit.
   */
  readonly maxRequestsPerSocket?: number
  /**
   * Reads simple requests (a POST that arrives in one or two pieces, or a GET of `path`) without the HTTP parser of `node:http`, which makes a
   * small call about a third cheaper, and an open stream about half. A connection is passed to `node:http` with its first other request, and both accept the same requests. Requests on the fast path do
   * not appear as performance entries of type `http`. While a program subscribes to a channel `http.server.*` of `node:diagnostics_channel`,
   * or replaces `emit` of `http.Server`, all requests go through `node:http`. `false` always does that. Default: true.
   */
  readonly fastPath?: boolean
}

/** A server that does not listen yet. */
export interface NodeServer {
  readonly server: Server
  /** Stops listening, lets running requests finish within `drainTimeoutMs`, then closes all connections. */
  close(drainTimeoutMs?: number): Promise<void>
}

const CHECK_CONNECTIONS_MS = 2000
const CLOSE_POLL_MS = 10

/** Options of an HTTP server. */
export interface NodeServerOptions extends EndpointOptions, NodeServerLimits {
  /** Answers health checks, at paths other than that of the endpoint. */
  readonly healthChecks?: HealthChecks | undefined
  /** The page of metrics, or what shows sizes elsewhere. */
  readonly metrics?: MetricsPage | EndpointObserver | undefined
}

/** Creates an HTTP server for one endpoint. The caller calls `listen`. */
export function createNodeServer(exchange: Exchange, options: NodeServerOptions = {}): NodeServer {
  const { headersTimeoutMs = 10_000, keepAliveTimeoutMs = 65_000, maxHeaderBytes = 16 * 1024, maxRequestsPerSocket = 0 } = options
  const { healthChecks, metrics } = options
  const batcher = createWriteBatcher(setImmediate, true)
  const handler = createHttpHandler(exchange, options)
  const { limits } = handler
  const stopObserving = metrics?.observe(handler.sizes)
  const page = metrics && 'render' in metrics ? metrics : undefined
  const nodeHandler = adaptToNode(handler, batcher)
  const settings = {
    headersTimeout: headersTimeoutMs,
    requestTimeout: headersTimeoutMs + limits.bodyTimeoutMs + limits.bodyIdleTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    maxHeaderSize: maxHeaderBytes,
    connectionsCheckingInterval: CHECK_CONNECTIONS_MS,
    requireHostHeader: false,
  }
  const clientErrors = createClientErrors()
  const server = createServer(settings, (request, response) => {
    answerSafely(response, () => {
      if (!clientErrors.track(request, response)) return void request.resume()
      if (healthChecks?.respond(request, response)) return undefined
      if (page && respondWithMetrics(page, request, response)) return undefined
      return nodeHandler(request, response)
    })
  })
  // Above a maximum number of headers Node silently drops the rest, and no check may miss one. Only their total size is limited.
  server.maxHeadersCount = 0
  server.maxRequestsPerSocket = maxRequestsPerSocket
  server.on('clientError', clientErrors.handle)
  const isSimple = options.fastPath !== false && maxRequestsPerSocket === 0
  const fastPath = isSimple
    ? attachFastPath(server, {
        handler,
        limits,
        batcher,
        getTarget: options.path,
        headersTimeoutMs,
        keepAliveTimeoutMs,
        maxHeaderBytes,
        onHeadersTimeout: (socket) => sendClientError(HEADERS_TIMEOUT, socket),
        onTruncated: (socket) => sendClientError(TRUNCATED, socket),
      })
    : NO_FAST_PATH
  const sockets = new Set<Socket>()
  const forget = function (this: Socket): void {
    sockets.delete(this)
  }
  server.on('connection', (socket) => {
    sockets.add(socket.on('close', forget))
    socket.destroySoon = destroySoon
  })
  // Called by `close`. Node's own function destroys connections whose last response is still being sent.
  server.closeIdleConnections = () => {
    for (const socket of sockets) if (!fastPath.has(socket) && !clientErrors.isRunning(socket)) closeParsed(socket)
  }
  const close = async (drainTimeoutMs: number = DRAIN_TIMEOUT_MS): Promise<void> => {
    const deadline = performance.now() + drainTimeoutMs
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    fastPath.drain()
    stopObserving?.()
    await nodeHandler.close(drainTimeoutMs)
    for (const socket of sockets) closeParsed(socket)
    await closedBy(sockets, deadline)
    server.closeAllConnections()
    fastPath.close()
    await closed
  }
  return { server, close }
}

/** Replaces the function of a socket that Node's server calls after the last response. All connections share it, as they share `forget`. */
function destroySoon(this: Socket): void {
  closeParsed(this)
}

/** Resolves when all connections have closed, at the latest at the deadline. */
async function closedBy(open: ReadonlySet<Socket>, deadline: number): Promise<void> {
  while (open.size > 0 && performance.now() < deadline) await delay(CLOSE_POLL_MS)
}

const HEADERS_TIMEOUT = Object.assign(new Error('No request arrived'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
const TRUNCATED = new Error('The connection ended in the middle of a request')
