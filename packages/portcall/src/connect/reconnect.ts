import { backoffMs } from '../../../util/src/backoff.ts'
import { delay } from '../../../util/src/timers.ts'
import type { ServerConnection } from '../client/client.ts'
import type { Deadlines } from '../client/deadlines.ts'
import { ClientClosedError } from '../client/errors.ts'
import type { ClientEvent } from '../client/options.ts'
import type { ConnectionStatus } from '../client/types.ts'
import type { ConnectionInfo, ConnectionSession, Exchange, ExchangeContext, ServerDescription } from '../jsonrpc/exchange.ts'
import { reportHandling } from '../jsonrpc/handling.ts'
import type { Request, Response } from '../jsonrpc/message.ts'

/** An open connection to a server. */
export interface OpenConnection {
  readonly exchange: Exchange
  /** True if the transport sends `x-mcp-header` arguments as `Mcp-Param-*` headers. */
  readonly sendsParamHeaders: boolean
  /** True if the connection is a session, whose client capabilities are fixed. Otherwise each request declares its own. */
  readonly hasSession: boolean
  /** The id of the session, if it has one. */
  readonly sessionId?: string | undefined
  /** The version of HTTP, if it is known. */
  readonly httpVersion?: string | undefined
  /** The negotiated protocol version. */
  readonly protocolVersion: string
  /** Calls the listener once when the connection ends by itself. */
  onEnd(listener: (reason: unknown) => void): void
  close(): Promise<void>
}

export interface ReconnectOptions {
  /** Describes the server to middleware. */
  readonly target: ServerDescription
  /** Opens a connection. When the signal is aborted, it releases everything. */
  readonly open: (signal: AbortSignal) => Promise<OpenConnection>
  /** Timeout of `open`, in milliseconds. */
  readonly connectTimeoutMs: number
  readonly deadlines: Deadlines
  /** True to reconnect, on the next request, after the connection was lost. */
  readonly reconnect: boolean
  /** Reports whether an error means that the server did not process the request, because the session has ended. */
  readonly isRetryable: (error: unknown) => boolean
  readonly onEvent: (event: ClientEvent) => void
  /** Aborts the first attempt to connect. */
  readonly signal?: AbortSignal
}

/** Sends a request on an open connection. From now on, it may have an effect. */
function deliver({ exchange }: OpenConnection, request: Request, context: ExchangeContext): Promise<Response> {
  reportHandling(context, 'started')
  return exchange(request, context)
}

const RECONNECT_DELAY = { firstMs: 250, maxMs: 30_000 }

/** A connection that is opened again on demand. */
export type ReconnectingConnection = ServerConnection & Pick<OpenConnection, 'hasSession'>

/** Opens a connection, and reconnects on demand after it is lost. @throws the error of the first attempt. */
export async function createReconnectingConnection(options: ReconnectOptions): Promise<ReconnectingConnection> {
  const { reconnect, isRetryable, onEvent } = options
  const closing = new AbortController()
  let failures = 0
  let current: Promise<OpenConnection> | undefined
  /** The connection of `current`, once it is open. */
  let ready: OpenConnection | undefined

  const disconnect = (attempt: Promise<OpenConnection> | undefined, error: unknown): void => {
    if (current !== attempt || state.status === 'closed') return
    current = undefined
    ready = undefined
    state.status = reconnect ? 'disconnected' : 'closed'
    // The error of the first attempt is thrown.
    if (state.info.protocolVersion !== '') onEvent({ type: 'disconnected', error })
  }
  const open = async (attempt: () => Promise<OpenConnection>, signal: AbortSignal | undefined): Promise<OpenConnection> => {
    const connection = await openWithTimeout(options, signal ? AbortSignal.any([closing.signal, signal]) : closing.signal)
    failures = 0
    state.sendsParamHeaders = connection.sendsParamHeaders
    state.hasSession = connection.hasSession
    state.info = describeConnection(options.target, connection, () => closing.signal.aborted)
    ready = connection
    connection.onEnd((reason) => disconnect(attempt(), reason))
    if (state.status === 'disconnected') onEvent({ type: 'reconnected' })
    state.status = 'connected'
    return connection
  }
  const start = (waited: Promise<void> = Promise.resolve(), signal?: AbortSignal): Promise<OpenConnection> => {
    const attempt: Promise<OpenConnection> = waited.then(() => {
      if (closing.signal.aborted) throw closedError()
      return open(() => attempt, signal)
    })
    current = attempt
    attempt.catch((error: unknown) => {
      failures++
      disconnect(attempt, error)
    })
    return attempt
  }
  const getConnection = (): Promise<OpenConnection> => {
    if (state.status === 'closed') return Promise.reject(closedError())
    if (current) return current
    return start(failures > 0 ? delay(backoffMs(failures - 1, RECONNECT_DELAY), closing.signal).catch(() => {}) : undefined)
  }
  const send: Exchange = (request, context) => getConnection().then((connection) => deliver(connection, request, context))
  const exchange: Exchange = (request, context) => {
    const isOpen = ready && state.status === 'connected'
    const response = ready && isOpen ? deliver(ready, request, context) : send(request, context)
    // Only a session can end without the connection.
    if (!reconnect || (ready && !ready.hasSession)) return response
    const attempt = current
    return response.catch((error: unknown) => {
      if (!isRetryable(error) || state.status === 'closed') throw error
      disconnect(attempt, error)
      return send(request, context)
    })
  }
  const close = async (): Promise<void> => {
    if (closing.signal.aborted) return
    state.status = 'closed'
    closing.abort(closedError())
    await current?.then(
      (connection) => connection.close(),
      () => {},
    )
  }
  /** The connection as its users see it. Requests read it, so it has no getters for what changes with each connection. */
  const state: ConnectionState = {
    status: 'connected',
    sendsParamHeaders: false,
    hasSession: false,
    info: { ...options.target, protocolVersion: '' },
    get protocolVersion() {
      return state.info.protocolVersion
    },
    exchange,
    close,
  }

  options.signal?.throwIfAborted()
  await start(undefined, options.signal)
  return state
}

/** The state of a connection, which changes when it is lost and opened again. */
interface ConnectionState extends ReconnectingConnection {
  status: ConnectionStatus
  sendsParamHeaders: boolean
  hasSession: boolean
  info: ConnectionInfo
}

/** Describes a connection to middleware. */
function describeConnection(
  target: ReconnectOptions['target'],
  { protocolVersion, httpVersion, hasSession, sessionId, onEnd }: OpenConnection,
  isClosed: () => boolean,
): ConnectionInfo {
  const onSessionEnd: ConnectionSession['onEnd'] = (listener) => onEnd((reason) => listener(isClosed() ? undefined : reason))
  const session = { id: sessionId, openedAt: performance.now(), onEnd: onSessionEnd }
  return { ...target, protocolVersion, httpVersion, ...(hasSession && { session }) }
}

async function openWithTimeout(
  { open, connectTimeoutMs, deadlines }: ReconnectOptions,
  signal: AbortSignal,
): Promise<OpenConnection> {
  const timeouts = { requestTimeoutMs: connectTimeoutMs, totalTimeoutMs: connectTimeoutMs }
  const deadline = deadlines.start('initialize', timeouts, signal)
  try {
    return await open(deadline.signal)
  } finally {
    deadline.clear()
  }
}

function closedError(): ClientClosedError {
  return new ClientClosedError(
    'The client was closed, or its server has ended. connect() again, or pass restart: true for a process',
  )
}
