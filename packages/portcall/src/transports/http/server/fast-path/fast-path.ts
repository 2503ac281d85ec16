/**
 * Serves the connections of a Node HTTP server as long as they carry only simple requests. A small call costs about a third less than with
 * Node's parser and response. The first other request passes its connection to Node's server for good.
 */
import { EventEmitter } from 'node:events'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { createIdleTimers } from '../../../../../../util/src/idle-timers.ts'
import { RUNTIME } from '../../../../../../util/src/runtime.ts'
import { MAX_UNREAD_BYTES } from '../node/body.ts'
import { Connection, type FastPathState } from './connection.ts'

export interface FastPathOptions extends Pick<FastPathState, 'handler' | 'limits' | 'batcher' | 'getTarget' | 'onTruncated'> {
  /** Total size of the request headers. */
  readonly maxHeaderBytes: number
  /** Time allowed until the first data arrives on a connection; 0 for no limit. */
  readonly headersTimeoutMs: number
  /** How long a connection waits for the next request; 0 for no limit. */
  readonly keepAliveTimeoutMs: number
  /** Closes a connection on which nothing arrived in time. */
  readonly onHeadersTimeout: (socket: Socket) => void
}

/** The connections on the fast path. */
export interface FastPath {
  /** Reports whether a connection is on the fast path. */
  has(socket: Socket): boolean
  /** Closes idle connections now, and the others after their responses. */
  drain(): void
  /** Closes all connections. */
  close(): void
}

/** How long the rest of an incomplete request may take before Node's server waits for it instead. */
const INCOMPLETE_TIMEOUT_MS = 200

/** The fast path of servers that it is not attached to. */
export const NO_FAST_PATH: FastPath = { has: () => false, drain() {}, close() {} }

/** Takes over the connections of a server, if the server allows it and `node:http` is Node's implementation. */
export function attachFastPath(server: Server, options: FastPathOptions): FastPath {
  const [nodeListener, ...others] = server.listeners('connection')
  if (!nodeListener || others.length > 0 || RUNTIME !== 'node') return NO_FAST_PATH
  const { limits, maxHeaderBytes, headersTimeoutMs, keepAliveTimeoutMs, onHeadersTimeout } = options
  const connections = new Map<Socket, Connection>()
  const unused = createIdleTimers<Connection>(headersTimeoutMs || Infinity, (connection) => {
    onHeadersTimeout(connection.socket)
    idle.touch(connection)
  })
  const incomplete = createIdleTimers<Connection>(INCOMPLETE_TIMEOUT_MS, (connection) => connection.stopWaiting())
  const idle = createIdleTimers<Connection>(keepAliveTimeoutMs || Infinity, (connection) =>
    connection.isBusy() ? idle.touch(connection) : connection.socket.destroy(),
  )
  const state: FastPathState = {
    ...options,
    // The connection of a larger request is closed if its body is not read, which the fast path does not do.
    requestLimits: { maxHeaderBytes, maxBodyBytes: Math.min(limits.maxBodyBytes, MAX_UNREAD_BYTES) },
    connectionHeader: keepAliveTimeoutMs
      ? `keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveTimeoutMs / 1000)}`
      : 'keep-alive',
    onIncomplete: incomplete.touch,
    onComplete(connection) {
      unused.remove(connection)
      incomplete.remove(connection)
    },
    onResponse: idle.touch,
    onRelease(connection) {
      connections.delete(connection.socket)
      state.onComplete(connection)
      idle.remove(connection)
    },
    passToNode: (socket) => nodeListener.call(server, socket),
  }
  server.removeAllListeners('connection').on('connection', (socket: Socket) => {
    if (server.emit !== EventEmitter.prototype.emit) return state.passToNode(socket)
    const connection = new Connection(socket, state)
    connections.set(socket, connection)
    unused.touch(connection)
  })
  return {
    has: (socket) => connections.has(socket),
    drain() {
      state.connectionHeader = undefined
      for (const connection of connections.values()) connection.closeIfIdle()
    },
    close() {
      for (const socket of connections.keys()) socket.destroy()
      for (const timers of [unused, incomplete, idle]) timers.stop()
    },
  }
}
