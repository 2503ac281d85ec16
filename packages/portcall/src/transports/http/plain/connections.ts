/**
 * Serves the connections of one of Node's HTTP servers for as long as only plain requests come on them: a small call costs about a third
 * less than by Node's own parser and response. With the first other request a connection becomes the server's, and stays with it.
 */
import { channel } from 'node:diagnostics_channel'
import { EventEmitter } from 'node:events'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { createExpiry } from '../expiry.ts'
import { Connection, type Shared } from './connection.ts'

export interface PlainOptions extends Pick<Shared, 'handler' | 'limits' | 'outbox'> {
  /** All headers of a request together. */
  readonly maxHeaderBytes: number
  /** Something has to come on a connection by then; 0 waits for ever. */
  readonly headersTimeoutMs: number
  /** How long a connection waits for the next request; 0 waits for ever. */
  readonly keepAliveTimeoutMs: number
  /** Ends a connection on which nothing came. */
  readonly onSilent: (socket: Socket) => void
}

/** The connections that are not the server's. */
export interface PlainConnections {
  /** Closes those that wait for a request, and the others with their answers. */
  drain(): void
  /** Closes all. */
  close(): void
}

/** The rest of a request comes within this time, or Node's server waits for it. */
const HALF_MS = 200

/** Where connections cannot be taken. */
const NONE: PlainConnections = { drain() {}, close() {} }

/** Takes the connections of a server, where they can be taken. */
export function takeConnections(server: Server, options: PlainOptions): PlainConnections {
  const [admit, ...others] = server.listeners('connection')
  if (!admit || others.length > 0 || OTHER_RUNTIMES.some((name) => name in process.versions)) return NONE
  const { limits, maxHeaderBytes, headersTimeoutMs, keepAliveTimeoutMs, onSilent } = options
  const all = new Set<Connection>()
  const silent = createExpiry<Connection>(headersTimeoutMs || Infinity, (connection) => {
    onSilent(connection.socket)
    idle.touch(connection)
  })
  const halves = createExpiry<Connection>(HALF_MS, (connection) => connection.giveUp())
  const idle = createExpiry<Connection>(keepAliveTimeoutMs || Infinity, (one) =>
    one.isBusy() ? idle.touch(one) : one.socket.destroy(),
  )
  const shared: Shared = {
    ...options,
    plainLimits: { maxHeaderBytes, maxBodyBytes: limits.maxBodyBytes },
    staying: keepAliveTimeoutMs ? `keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveTimeoutMs / 1000)}` : 'keep-alive',
    onHalf: halves.touch,
    onWhole(connection) {
      silent.forget(connection)
      halves.forget(connection)
    },
    onAnswered: idle.touch,
    onOver(connection) {
      all.delete(connection)
      shared.onWhole(connection)
      idle.forget(connection)
    },
    admit: (socket) => admit.call(server, socket),
  }
  const take = (socket: Socket): void => {
    const connection = new Connection(socket, shared)
    all.add(connection)
    silent.touch(connection)
  }
  server.removeAllListeners('connection').on('connection', (socket: Socket) => {
    if (isWatched(server)) shared.admit(socket)
    else take(socket)
  })
  return {
    drain() {
      shared.staying = undefined
      for (const connection of all) connection.leave()
    },
    close() {
      for (const { socket } of all) socket.destroy()
      for (const expiry of [silent, halves, idle]) expiry.stop()
    },
  }
}

/** They have Node's HTTP server by name: what is below it is not Node's. */
const OTHER_RUNTIMES = ['bun', 'deno']

const REQUESTS = channel('http.server.request.start')

/** Tells whether somebody looks at the requests of a server, who would not see those that it does not get. */
function isWatched(server: Server): boolean {
  return server.emit !== EventEmitter.prototype.emit || REQUESTS.hasSubscribers
}
