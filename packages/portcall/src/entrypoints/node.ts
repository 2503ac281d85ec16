/** Servers over HTTP with `node:http`. `portcall/http` exports the types of their options. @module */
import type { AddressInfo } from 'node:net'
import { assertServer } from '../server/assert-server.ts'
import type { ServerLike } from '../server/types.ts'
import { createNodeHandler, type NodeHandler } from '../transports/http/server/node/handler.ts'
import { explainListenError } from '../transports/http/server/node/listen-error.ts'
import { createNodeServer, type NodeServerLimits } from '../transports/http/server/node/server.ts'
import { type HttpOptions, httpOptionsOf } from '../transports/http/server/options.ts'
import { assertNodeVersion } from '../util/assert-node-version.ts'

export type { NodeHandler } from '../transports/http/server/node/handler.ts'
export type { NodeServerLimits } from '../transports/http/server/node/server.ts'

assertNodeVersion()

/** Options of `serve`. */
export interface ServeOptions extends HttpOptions, NodeServerLimits {
  /** The port to listen on; 0 for any free port. Default: 3000. */
  readonly port?: number
  /** The address to listen on. Addresses that are not loopback require `allowedHosts`. Default: 127.0.0.1. */
  readonly host?: string
  /** The path of the endpoint. Default: `/mcp`. */
  readonly path?: string
  /** How long running calls may take to finish when the server closes, in milliseconds. Default: 10,000. */
  readonly drainTimeoutMs?: number
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

const SIGNALS = ['SIGTERM', 'SIGINT'] as const
const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost'])

/**
 * Serves a server over HTTP to clients of every protocol revision.
 *
 * @throws Error if `host` is not a loopback address and `allowedHosts` is missing, or if the port is in use.
 */
export async function serve(server: ServerLike, options: ServeOptions = {}): Promise<ListeningServer> {
  assertServer(server, 'serve')
  const { port = 3000, host = '127.0.0.1', path = '/mcp', drainTimeoutMs, handleProcessSignals = true } = options
  if (!LOOPBACK.has(host) && !options.allowedHosts)
    throw new Error(`Listening on ${host} requires the host names of this server, such as allowedHosts: ['api.example.com']`)
  if (!path.startsWith('/')) throw new TypeError(`path must start with a slash: '/${path}'`)
  const http = createNodeServer(server.exchange, { ...httpOptionsOf(server, options), path })
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
    server.close()
    return (closing ??= http.close(drainTimeoutMs))
  }
  if (handleProcessSignals) removeSignalHandlers = exitOnSignals(close)
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${bound.port}${path}`, port: bound.port, close }
}

/** Creates a handler for an existing server or framework: `app.all('/mcp', nodeHandler(server))`. */
export function nodeHandler(server: ServerLike, options: HttpOptions = {}): NodeHandler {
  assertServer(server, 'nodeHandler')
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
