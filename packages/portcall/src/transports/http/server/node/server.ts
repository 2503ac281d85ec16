import { createServer, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { ErrorCode } from '../../../../jsonrpc/errors.ts'
import type { Exchange } from '../../../../jsonrpc/exchange.ts'
import { attachFastPath } from '../fast-path/fast-path.ts'
import { createHttpHandler } from '../handler.ts'
import { DRAIN_TIMEOUT_MS } from '../limits.ts'
import type { HttpOptions } from '../options.ts'
import { adaptToNode } from './handler.ts'
import type { HealthChecks } from './health.ts'
import { createWriteBatcher } from './write-batcher.ts'

/** Settings of Node's HTTP server. None of them ends a stream that is in use. */
export interface NodeServerLimits {
  /** Time allowed to receive the head of a request; 408 after that. Default: 10 s. */
  readonly headersTimeoutMs?: number
  /** A connection without requests is closed after this time. Default: 65 s, a little more than in most load balancers. */
  readonly keepAliveTimeoutMs?: number
  /** Total size of the request headers. Larger ones get 431. Default: 16 KiB. */
  readonly maxHeaderBytes?: number
}

/** A server that does not listen yet. */
export interface NodeServer {
  readonly server: Server
  /** Stops listening, lets running requests finish within `drainTimeoutMs`, then closes all connections. */
  close(drainTimeoutMs?: number): Promise<void>
}

const CHECK_CONNECTIONS_MS = 2000
const FLUSH_POLL_MS = 10

/** Options of an HTTP server. */
export interface NodeServerOptions extends HttpOptions, NodeServerLimits {
  /** Answers health checks, at paths other than that of the endpoint. */
  readonly healthChecks?: HealthChecks | undefined
}

/** Creates an HTTP server for one endpoint. The caller calls `listen`. */
export function createNodeServer(exchange: Exchange, options: NodeServerOptions = {}): NodeServer {
  const { headersTimeoutMs = 10_000, keepAliveTimeoutMs = 65_000, maxHeaderBytes = 16 * 1024, healthChecks } = options
  const batcher = createWriteBatcher(setImmediate)
  const handler = createHttpHandler(exchange, options)
  const { limits } = handler
  const nodeHandler = adaptToNode(handler, batcher)
  const settings = {
    headersTimeout: headersTimeoutMs,
    requestTimeout: headersTimeoutMs + limits.bodyTimeoutMs + limits.bodyIdleTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    maxHeaderSize: maxHeaderBytes,
    connectionsCheckingInterval: CHECK_CONNECTIONS_MS,
    requireHostHeader: false,
  }
  const latest = new WeakMap<Duplex, ServerResponse>()
  const server = createServer(settings, (request, response) => {
    latest.set(request.socket, response)
    if (healthChecks?.respond(request, response)) return
    void nodeHandler(request, response)
  })
  // Above a maximum number of headers Node silently drops the rest, and no check may miss one. Only their total size is limited.
  server.maxHeadersCount = 0
  const unreadable = new WeakSet<Duplex>()
  server.on('clientError', (error, socket) => {
    const response = latest.get(socket)
    if (!response || response.writableFinished || response.destroyed) return sendClientError(error, socket)
    // The requests before the unreadable bytes are running. Their responses are sent first, unless the client has gone.
    if (socket.readableEnded) socket.destroy()
    else if (!unreadable.has(socket)) response.once('close', () => sendClientError(error, socket))
    unreadable.add(socket)
  })
  const fastPath = attachFastPath(server, {
    handler,
    limits,
    batcher,
    headersTimeoutMs,
    keepAliveTimeoutMs,
    maxHeaderBytes,
    onHeadersTimeout: (socket) => sendClientError(HEADERS_TIMEOUT, socket),
  })
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => void sockets.add(socket.once('close', () => sockets.delete(socket))))
  const close = async (drainTimeoutMs: number = DRAIN_TIMEOUT_MS): Promise<void> => {
    const deadline = performance.now() + drainTimeoutMs
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    fastPath.drain()
    await nodeHandler.close(drainTimeoutMs)
    batcher.flush()
    await flushed(sockets, deadline)
    server.closeAllConnections()
    fastPath.close()
    await closed
  }
  return { server, close }
}

/** Resolves when all buffered output has been sent, at the latest at the deadline. */
async function flushed(sockets: ReadonlySet<Socket>, deadline: number): Promise<void> {
  while (performance.now() < deadline && [...sockets].some(({ writableLength }) => writableLength > 0)) await delay(FLUSH_POLL_MS)
}

const HEADERS_TIMEOUT = Object.assign(new Error('No request arrived'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })

const CLIENT_ERRORS: { readonly [code: string]: readonly [status: string, message: string] } = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['413 Payload Too Large', 'The chunk extensions are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time'],
}

/** Responds to bytes that Node could not parse, and closes the connection, because nothing that follows on it can be trusted. */
function sendClientError(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const [status, message] = CLIENT_ERRORS[error.code ?? ''] ?? ['400 Bad Request', 'The request is not HTTP/1.1']
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code: ErrorCode.invalidRequest, message } })
  socket.end(
    `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
}
