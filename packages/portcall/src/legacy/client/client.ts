/**
 * Adapts a legacy server to the core client, which has no sessions and no handshake: it calls an Exchange of the newest revision. This
 * client performs the handshake once and answers `server/discover` from its result. It removes the request metadata from each request,
 * reads each response as one of the newest revision, and passes the server's input requests to the client's handler.
 */

import { raceAbort } from '../../../../util/src/timers.ts'
import { ConnectionLostError, closedLocally, RpcError } from '../../jsonrpc/errors.ts'
import type { Exchange } from '../../jsonrpc/exchange.ts'
import {
  type JsonObject,
  type Notification,
  type Request,
  type RequestId,
  type Response,
  success,
} from '../../jsonrpc/message.ts'
import type { identityOf } from '../../protocol/caller-identity.ts'
import { methodNotFound } from '../../protocol/errors.ts'
import type { InputRequestHandler } from '../../protocol/input-types.ts'
import { LATEST_LEGACY, REVISIONS, type Revision } from '../../protocol/revisions.ts'
import { TASKS_EXTENSION } from '../../protocol/tasks.ts'
import type { ServerCapabilities } from '../../protocol/types.ts'
import { downgradePlan } from '../render/downgrade-plan.ts'
import type { LegacyConnection, OutgoingContext } from './connection.ts'
import { createForwarder, type Forwarder } from './forwarder.ts'
import { type Handshake, type HandshakeOptions, performHandshake } from './handshake.ts'
import { createServerRequestHandler, type OnInputRequest, type ServerInputHandler } from './input-requests.ts'
import { type ClientSubscriptions, createClientSubscriptions } from './subscriptions.ts'
import type { SuspendedCalls } from './suspended-calls.ts'
import type { LegacyTasks } from './tasks.ts'

export interface LegacyClientOptions extends HandshakeOptions {
  readonly connection: LegacyConnection
  /**
   * Handles the input requests of the server whose capability is declared in `capabilities`. Default: the call that they belong to
   * returns an `input_required` result, and goes on when it is repeated with the responses.
   */
  readonly handleInputRequest?: InputRequestHandler
  /** Returns what identifies the caller of a request, for calls that wait for input. Default: its principal, or its session. */
  readonly identityOf?: typeof identityOf
  /** How long a call waits for the responses to its input requests, in milliseconds. Default: 5 minutes. */
  readonly suspendTtlMs?: number
  /** Called when the server asks the caller of a request for input. */
  readonly onInputRequest?: OnInputRequest
  /** Receives every log message of the session. Default: the open requests that asked for log messages receive them. */
  readonly onLog?: (params: JsonObject) => void
  /** Aborts the handshake by closing the connection, because `initialize` cannot be cancelled. */
  readonly signal?: AbortSignal
}

/** A legacy server as one of the newest revision. */
export interface LegacyClient {
  readonly exchange: Exchange
  /** The negotiated revision. */
  readonly revision: Revision
  /** Calls the listener once when the connection has ended, immediately if it already has. */
  onClose(listener: (reason: Error) => void): void
  close(): Promise<void>
}

/** The handlers of messages after the handshake. */
interface MessageHandlers {
  readonly forwarder: Forwarder
  readonly subscriptions: ClientSubscriptions
  /** Defined if both sides support tasks. */
  readonly tasks: LegacyTasks | undefined
  /** Defined if there is no handler of input requests. */
  readonly suspended: SuspendedCalls | undefined
}

/**
 * Connects to a legacy server. Closes the connection when it fails.
 *
 * @throws NegotiationError when the server supports none of the versions; RpcError when it rejects the handshake; whatever the
 *   connection throws.
 */
export async function openLegacyClient(options: LegacyClientOptions): Promise<LegacyClient> {
  const { connection, capabilities, signal, onLog } = options
  const closeListeners: Array<(reason: Error) => void> = []
  let revision = LATEST_LEGACY
  let handlers: MessageHandlers | undefined
  let closeReason: Error | undefined

  const onClose = (reason: Error = new ConnectionLostError()): void => {
    closeReason ??= reason
    handlers?.subscriptions.close(closeReason)
    handlers?.suspended?.close(closeReason)
    for (const listener of closeListeners.splice(0)) listener(closeReason)
  }
  const close = (): Promise<void> => {
    onClose(closedLocally())
    return connection.close()
  }
  const onNotification = (message: Notification, origin?: OutgoingContext): void => {
    if (onLog && message.method === 'notifications/message') onLog(message.params ?? {})
    else if (handlers?.tasks?.deliver(message)) return
    else if (!handlers?.subscriptions.deliver(message)) handlers?.forwarder.deliver(message, origin)
  }

  const handleInputRequest: ServerInputHandler = async (input, requestSignal, origin) => {
    const { method, params } = input
    const ofTask = handlers?.tasks?.acceptInputRequest(method, params, requestSignal)
    if (ofTask) return ofTask
    if (options.handleInputRequest) return options.handleInputRequest(method, params, requestSignal)
    if (!handlers?.suspended) throw methodNotFound(method)
    return handlers.suspended.accept(input, requestSignal, origin)
  }
  const onRequest = createServerRequestHandler({ handleInputRequest, capabilities, revision: () => revision })
  connection.receive({ onRequest, onNotification, onClose, onGap: () => handlers?.subscriptions.deliverAll() })
  const handshake = await raceAbort(performHandshake(connection, options), signal).catch(async (error: unknown) => {
    await close()
    throw error
  })
  revision = handshake.revision
  handlers = await createHandlers(handshake, options)
  const exchange = createExchange(handshake, handlers)
  return {
    revision,
    exchange: (request, context) => (closeReason ? Promise.reject(closeReason) : exchange(request, context)),
    onClose: (listener) => void (closeReason ? listener(closeReason) : closeListeners.push(listener)),
    close,
  }
}

async function createHandlers(
  { discovered, revision }: Handshake,
  { connection, capabilities, handleInputRequest, ...options }: LegacyClientOptions,
): Promise<MessageHandlers> {
  const serverCapabilities = discovered.capabilities as ServerCapabilities
  const { onInputRequest } = options
  const direct = createForwarder({
    connection,
    capabilities,
    serverCapabilities,
    revision,
    ...(onInputRequest && { onInputRequest }),
  })
  const suspended = handleInputRequest ? undefined : await suspendCalls(direct.exchange, { connection, capabilities, ...options })
  const forwarder = suspended ? { ...direct, exchange: suspended.exchange } : direct
  const request = (method: string, params: JsonObject): Promise<Response> => connection.request(method, params)
  const subscriptions = createClientSubscriptions({ serverCapabilities, request })
  if (!serverCapabilities.extensions?.[TASKS_EXTENSION] || !capabilities.extensions?.[TASKS_EXTENSION])
    return { forwarder, subscriptions, suspended, tasks: undefined }
  const { createLegacyTasks } = await import('./tasks.ts')
  const tasks = createLegacyTasks({ connection, forward: forwarder.exchange, listen: subscriptions.listen })
  return { forwarder, subscriptions, suspended, tasks }
}

/** The requests of legacy revisions that the newest one does not have. */
const REMOVED_REQUESTS: ReadonlySet<string> = new Set(
  REVISIONS.flatMap(({ requests }) => requests.filter((method) => !REVISIONS.at(-1)?.requests.includes(method))),
)

/** Calls that require input return it, instead of using a handler. Only gateways need that. */
async function suspendCalls(
  forward: Exchange,
  { connection, capabilities, identityOf, suspendTtlMs, onInputRequest }: Omit<LegacyClientOptions, 'handleInputRequest'>,
): Promise<SuspendedCalls> {
  const { createSuspendedCalls } = await import('./suspended-calls.ts')
  const attributesRequests = connection.attributesMessages === true
  return createSuspendedCalls({
    capabilities,
    attributesRequests,
    forward,
    ...(identityOf && { identityOf }),
    ...(suspendTtlMs !== undefined && { suspendTtlMs }),
    ...(onInputRequest && { onInputRequest }),
  })
}

/** Serves methods that the server does not define, and forwards all others. */
function createExchange({ revision, discovered }: Handshake, { forwarder, subscriptions, tasks }: MessageHandlers): Exchange {
  const { unsupportedRequests } = downgradePlan(revision)
  const localMethods: { readonly [method: string]: Exchange } = {
    'server/discover': async ({ id }) => success(id, discovered),
    'subscriptions/listen': subscriptions.listen,
    ...tasks?.methods,
  }
  return (received, context) => {
    const request = withoutTask(received)
    const { id, method } = request
    const local = Object.hasOwn(localMethods, method) ? localMethods[method] : undefined
    if (local) return local(request, context).catch(toResponse(id))
    if (unsupportedRequests.has(method) || REMOVED_REQUESTS.has(method))
      return Promise.resolve(methodNotFound(method).response(id))
    return forwarder.exchange(request, context)
  }
}

/** In the newest revision, clients do not ask for a task: a member of that name has no meaning. */
function withoutTask(request: Request): Request {
  if (request.method !== 'tools/call' || !request.params || !('task' in request.params)) return request
  const { task: _task, ...params } = request.params
  return { ...request, params }
}

function toResponse(id: RequestId): (error: unknown) => Response {
  return (error) => {
    if (error instanceof RpcError) return error.response(id)
    throw error
  }
}
