/** Serving over HTTP with Node's own server. */
import type { AddressInfo } from 'node:net'
import type { Serveable } from './server/surface.ts'
import { createNodeHandler, type NodeHandler } from './transports/http/node.ts'
import { createNodeServer, type NodeServerLimits } from './transports/http/node-server.ts'
import type { HttpOptions } from './transports/http/options.ts'
import { optionsOf } from './transports/http/served.ts'

export { insecureAnyHost, insecureAnyOrigin } from './transports/http/guard.ts'
export { HttpError } from './transports/http/http-error.ts'
export type { HttpLimits } from './transports/http/limits.ts'
export type { NodeHandler } from './transports/http/node.ts'
export type { NodeServerLimits } from './transports/http/node-server.ts'
export type {
  Authenticate,
  Beside,
  BesideAnswer,
  BesideRequest,
  Challenge,
  Credentials,
  HttpOptions,
} from './transports/http/options.ts'

/** Where an HTTP server listens, and how it serves and ends. */
export interface ServeOptions extends HttpOptions, NodeServerLimits {
  /** Default: 3000; 0 takes any free port. */
  readonly port?: number
  /** The address to listen on. Default: 127.0.0.1. Others need `allowedHosts`. */
  readonly host?: string
  /** Default: `/mcp`. */
  readonly path?: string
  /** How long running calls may take to finish at the end, in milliseconds. Default: 10 s. */
  readonly drainMs?: number
  /** Drains and exits on SIGTERM and SIGINT. Default: true. */
  readonly signals?: boolean
}

/** A server that listens. */
export interface Serving {
  readonly url: string
  readonly port: number
  /** Takes no new requests, ends streams with a result, lets running calls finish, then closes. */
  close(): Promise<void>
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const
const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost'])

/**
 * Serves a server over HTTP, to clients of every protocol revision.
 *
 * @throws Error when it would listen beyond this machine without knowing by which names, or when the port is taken.
 */
export async function serve(server: Serveable, options: ServeOptions = {}): Promise<Serving> {
  const { port = 3000, host = '127.0.0.1', path = '/mcp', drainMs, signals = true } = options
  if (!LOOPBACK.has(host) && !options.allowedHosts)
    throw new Error(`To listen on ${host}, say by which names clients reach this server: allowedHosts: ['api.example.com']`)
  const http = createNodeServer(server.exchange, { ...optionsOf(server), ...options, path })
  await new Promise<void>((resolve, reject) => {
    http.server.once('error', reject).listen(port, host, resolve)
  })
  const bound = http.server.address() as AddressInfo
  let closing: Promise<void> | undefined
  let forget: (() => void) | undefined
  const close = (): Promise<void> => {
    forget?.()
    server.close()
    return (closing ??= http.close(drainMs))
  }
  if (signals) forget = exitOnSignals(close)
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${bound.port}${path}`, port: bound.port, close }
}

/** Serves a server inside another one: `app.all('/mcp', nodeHandler(server))`. */
export function nodeHandler(server: Serveable, options: HttpOptions = {}): NodeHandler {
  const handler = createNodeHandler(server.exchange, { ...optionsOf(server), ...options })
  const close: NodeHandler['close'] = (drainMs) => {
    server.close()
    return handler.close(drainMs)
  }
  return Object.assign((...args: Parameters<NodeHandler>) => handler(...args), { close })
}

/** Closes, then exits, on the first signal; returns what takes that back. */
function exitOnSignals(close: () => Promise<void>): () => void {
  const exit = (): void => void close().then(() => process.exit())
  for (const signal of SIGNALS) process.once(signal, exit)
  return () => {
    for (const signal of SIGNALS) process.off(signal, exit)
  }
}
