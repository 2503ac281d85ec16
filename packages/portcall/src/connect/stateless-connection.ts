import type { Exchange } from '../jsonrpc/exchange.ts'
import type { Request } from '../jsonrpc/message.ts'
import type { OnInputRequest } from '../legacy/client/input-requests.ts'
import type { ClientCapabilities } from '../protocol/types.ts'
import type { ReconnectingConnection } from './reconnect.ts'
import { createExactCapabilities, createSharedCapabilities, withTasksExtension } from './session-capabilities.ts'
import { createSessionPool, type PooledSession, type SessionPoolOptions } from './session-pool.ts'

/** A connection to a server of either era on which each request declares its own client capabilities. */
export interface StatelessConnection {
  /** Sends a request of the newest revision. Opens a connection if necessary. */
  readonly exchange: Exchange
  /** True if the transport sends `x-mcp-header` arguments as `Mcp-Param-*` headers. */
  readonly sendsParamHeaders: boolean
  /** The number of open connections. */
  readonly size: number
  close(): Promise<void>
}

export interface StatelessConnectionOptions extends Omit<SessionPoolOptions, 'open'> {
  /** Opens a connection for clients with these capabilities. The signal is aborted when the connection is closed. */
  readonly open: (
    capabilities: ClientCapabilities,
    signal: AbortSignal,
    onInputRequest: OnInputRequest,
  ) => Promise<ReconnectingConnection>
  /** Uses one session for all clients, as long as the server asks for no input that some of them do not have. */
  readonly sharesSessions: boolean
  /** Declares these capabilities on every connection, because only one connection can be opened. */
  readonly capabilities?: ClientCapabilities | undefined
}

/** The key of a connection without a session, which serves clients with any capabilities. */
const ANY = ''

/**
 * Creates a stateless connection. A legacy server gets sessions for clients with different capabilities, because a session declares them
 * once; a modern server gets one connection.
 */
export function createStatelessConnection(options: StatelessConnectionOptions): StatelessConnection {
  const fixed = options.capabilities && withTasksExtension(options.capabilities)
  const sessions = options.sharesSessions ? createSharedCapabilities() : createExactCapabilities()
  const onInputRequest: OnInputRequest = (method, params) => {
    if (sessions.asked(method, params) && hasSessions) pool.rename(sessions.keyOfDeclared)
  }
  const pool = createSessionPool({
    ...options,
    open: (capabilities, signal) => options.open(capabilities, signal, onInputRequest),
  })
  /** True if the server has sessions; `undefined` until a connection was opened. */
  let hasSessions: boolean | undefined
  let detection: Promise<unknown> | undefined
  let sendsParamHeaders = false
  let isClosed = false

  const start = (key: string, capabilities: ClientCapabilities, owner: string | undefined): PooledSession => {
    const session = pool.start(key, capabilities, owner)
    session.opening.then(
      (connection) => {
        sendsParamHeaders = connection.sendsParamHeaders
        hasSessions = connection.hasSession && !fixed
      },
      () => {},
    )
    return session
  }
  /** Opens the first connection, which shows whether the server has sessions. */
  const detect = (request: Request, owner: string | undefined): Promise<unknown> => {
    const first = start(ANY, fixed ?? sessions.declaredFor(request), owner)
    const end = (): void => {
      detection = undefined
      if (hasSessions) pool.rename(sessions.keyOfDeclared)
    }
    return first.opening.then(end, (error: unknown) => {
      end()
      throw error
    })
  }
  const findSession = (request: Request, owner: string | undefined): PooledSession | Promise<PooledSession> => {
    if (hasSessions === false) return pool.find(ANY) ?? start(ANY, fixed ?? sessions.declaredFor(request), owner)
    if (hasSessions) {
      const key = sessions.keyOf(request)
      return pool.find(key) ?? start(key, sessions.declaredFor(request), owner)
    }
    detection ??= detect(request, owner)
    return detection.then(() => findSession(request, owner))
  }

  return {
    exchange(request, context) {
      if (isClosed) return Promise.reject(closedError())
      try {
        const found = findSession(request, context.auth?.principal)
        if (!(found instanceof Promise)) return pool.send(found, request, context)
        return found.then((session) => pool.send(session, request, context))
      } catch (error) {
        return Promise.reject(error)
      }
    },
    get sendsParamHeaders() {
      return sendsParamHeaders
    },
    get size() {
      return pool.size
    },
    close() {
      isClosed = true
      return pool.close(closedError())
    },
  }
}

const closedError = (): Error => new Error('The connection is closed')
