import { createServer, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { ErrorCode } from '../../jsonrpc/errors.ts'
import type { Exchange } from '../../jsonrpc/exchange.ts'
import { createHttpHandler, DRAIN_MS, readLimits } from './handler.ts'
import { nodeFront } from './node.ts'
import type { HttpOptions } from './options.ts'
import { createOutbox } from './outbox.ts'
import { takeConnections } from './plain/connections.ts'

/** Settings of Node's HTTP server, none of which ends a stream that is in use. */
export interface NodeServerLimits {
  /** The head of a request has to be there by then, else 408. Default: 10 s. */
  readonly headersTimeoutMs?: number
  /** A connection without a request is closed after so long. Default: 65 s, a little more than most load balancers keep theirs. */
  readonly keepAliveTimeoutMs?: number
  /** All headers of a request together; more is answered with 431. Default: 16 KiB. */
  readonly maxHeaderBytes?: number
}

/** A server that listens to nothing yet. */
export interface NodeServer {
  readonly server: Server
  /** Stops listening, lets running requests finish within `drainMs`, then closes all connections. */
  close(drainMs?: number): Promise<void>
}

const CHECK_CONNECTIONS_MS = 2000
const LEAVING_MS = 10

/** Makes an HTTP server for one endpoint; `listen` is up to the caller. */
export function createNodeServer(exchange: Exchange, options: HttpOptions & NodeServerLimits = {}): NodeServer {
  const { headersTimeoutMs = 10_000, keepAliveTimeoutMs = 65_000, maxHeaderBytes = 16 * 1024 } = options
  const limits = readLimits(options)
  const outbox = createOutbox(setImmediate)
  const handler = createHttpHandler(exchange, options)
  const answer = nodeFront(handler, { limits, outbox })
  const settings = {
    headersTimeout: headersTimeoutMs,
    requestTimeout: headersTimeoutMs + limits.bodyTimeoutMs + limits.bodyPauseMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    maxHeaderSize: maxHeaderBytes,
    connectionsCheckingInterval: CHECK_CONNECTIONS_MS,
    requireHostHeader: false,
  }
  const server = createServer(settings, (request, response) => void answer(request, response))
  // Above a number of headers Node drops the rest in silence, and a check must not miss one: their size alone is the limit.
  server.maxHeadersCount = 0
  server.on('clientError', refuseUnreadable)
  const onSilent = (socket: Socket): void => refuseUnreadable(SILENT, socket)
  const plain = takeConnections(server, {
    handler,
    limits,
    outbox,
    headersTimeoutMs,
    keepAliveTimeoutMs,
    maxHeaderBytes,
    onSilent,
  })
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => void sockets.add(socket.once('close', () => sockets.delete(socket))))
  const close = async (drainMs: number = DRAIN_MS): Promise<void> => {
    const until = performance.now() + drainMs
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    plain.drain()
    await answer.close(drainMs)
    outbox.flush()
    await left(sockets, until)
    server.closeAllConnections()
    plain.close()
    await closed
  }
  return { server, close }
}

/** Waits until all that was written has left, at most until then. */
async function left(sockets: ReadonlySet<Socket>, until: number): Promise<void> {
  while (performance.now() < until && [...sockets].some(({ writableLength }) => writableLength > 0)) await sleep(LEAVING_MS)
}

const SILENT = Object.assign(new Error('Nothing was said'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })

const UNREADABLE: { readonly [code: string]: readonly [status: string, message: string] } = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['413 Payload Too Large', 'The chunk extensions are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not come in time'],
}

/** Answers what Node's parser could not read, and closes the connection: nothing that follows on it can be trusted. */
function refuseUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const [status, message] = UNREADABLE[error.code ?? ''] ?? ['400 Bad Request', 'The request is not HTTP/1.1']
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code: ErrorCode.invalidRequest, message } })
  socket.end(
    `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
}
