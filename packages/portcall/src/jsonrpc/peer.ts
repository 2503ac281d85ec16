import type { AbortSource } from '../../../util/src/abort.ts'
import { answerBatch, refuseBatch } from './batch.ts'
import type { Channel, ChannelInput, UnreadableInput } from './channel.ts'
import { ConnectionLostError, closedLocally, ErrorCode, internalError, RpcError } from './errors.ts'
import type { Exchange } from './exchange.ts'
import { createIncomingRequests, type IncomingLimits, PeerRequestContext, type RequestSender } from './incoming-requests.ts'
import { classify, type ErrorBody, failure, type Notification, type Request, type RequestId, type Response } from './message.ts'
import { createOutgoingRequests, type OutgoingRequestsOptions } from './outgoing-requests.ts'
import { rejectUnreadable, toUnexpectedMessage, type UnexpectedMessage } from './unexpected-message.ts'

export interface PeerOptions extends OutgoingRequestsOptions {
  /** Answers the requests of the other side. */
  readonly exchange: Exchange
  /** Called for each notification of the other side. */
  readonly onNotification?: (notification: Notification) => void
  /** Called for unreadable input and for invalid messages without an id. Default: an error response is sent. */
  readonly onUnexpectedMessage?: (message: UnexpectedMessage) => void
  /** Called once, when the channel has closed. */
  readonly onDisconnect?: (reason: Error) => void
  /** Called once, when the channel has closed and no request is being answered any more. */
  readonly onClose?: () => void
  /** Called for a request of this side that is aborted, to tell the other side. */
  readonly sendCancellation?: (id: RequestId) => void
  /** Reports whether a request stays open until one side ends it. */
  readonly isLongLived?: (request: Request) => boolean
  /** Called for exceptions of the Exchange and responses that cannot be serialized. May return a reference for the other side. */
  readonly onError?: (error: unknown) => unknown
  /** Reports whether a received array is a batch. Default: batches are refused. */
  readonly acceptsBatches?: () => boolean
  readonly limits?: Partial<PeerLimits>
}

export interface PeerLimits extends IncomingLimits {
  /** Messages in a batch. */
  maxBatch: number
}

export const PEER_LIMITS: PeerLimits = { maxInFlight: 256, maxQueued: 10_000, maxLongLived: 1024, maxBatch: 100 }

/** One end of a channel, which sends and receives requests and notifications. */
export interface Peer {
  notify(notification: Notification): void | Promise<void>
  /** Sends a request to the other side. @throws ConnectionLostError when the channel closes first; the abort reason. */
  request(method: string, params?: Request['params'], abortSource?: AbortSource): Promise<Response>
  /** Cancels a request of the other side. Returns whether there is one with this id. */
  cancel(id: unknown, reason?: unknown): boolean
  cancelAll(reason?: unknown): void
  /** Resolves when every request and batch that was received has been answered, and cancelled requests have ended. */
  whenIdle(): Promise<void>
  close(): Promise<void>
}

const UNREADABLE: { readonly [cause in UnreadableInput['unreadable']]: RpcError } = {
  syntax: new RpcError(ErrorCode.parseError, 'Parse error: the message is not valid JSON in UTF-8'),
  size: new RpcError(ErrorCode.invalidRequest, 'Invalid request: the message is too large'),
  depth: new RpcError(ErrorCode.invalidRequest, 'Invalid request: the message is nested too deeply'),
}

/** Why an input is refused. */
interface Refusal {
  readonly id?: RequestId
  readonly error: ErrorBody
  /** True if the input is of a kind that is never answered. */
  readonly silent?: true
}

/** Connects a channel to an Exchange. */
export function createPeer(channel: Channel, options: PeerOptions): Peer {
  const limits = { ...PEER_LIMITS, ...options.limits }
  const incoming = createIncomingRequests(options.exchange, {
    ...limits,
    ...(options.isLongLived && { isLongLived: options.isLongLived }),
    onError: options.onError,
  })
  const outgoing = createOutgoingRequests(options)
  const sendResponse = createResponseSender(channel, options.onError)
  let closeReason: Error | undefined

  const send = (request: Request): void => {
    if (closeReason) throw closeReason
    void channel.send(request)
  }
  const request: Peer['request'] = (method, params, abortSource) =>
    outgoing.request(method, params, { send, abortSource, sendCancellation: options.sendCancellation })
  const sender: RequestSender = { notify: (notification) => channel.send(notification), request }

  const handle = (value: unknown, context?: PeerRequestContext): Promise<Response | undefined> | undefined => {
    const classified = classify(value)
    switch (classified.kind) {
      case 'request':
        return incoming.handle(classified.message, context ?? new PeerRequestContext(sender))
      case 'notification':
        return void options.onNotification?.(classified.message)
      case 'response':
        return void outgoing.settle(classified.message)
      case 'invalid':
        return refuse({ value }, classified)
    }
  }

  /** Returns the error response to an invalid input, if it is to be answered. */
  const refuse = (input: ChannelInput, { id, error, silent }: Refusal): Promise<Response> | undefined => {
    if (rejectUnreadable(input, outgoing)) return undefined
    if (id === undefined && options.onUnexpectedMessage) return void options.onUnexpectedMessage(toUnexpectedMessage(input))
    return silent ? undefined : Promise.resolve(failure(id, error))
  }
  /** Requests and batches whose responses are not sent yet. */
  let unanswered = 0
  const idleWaiters: Array<() => void> = []
  const reply = async (answer: Promise<Response | Response[] | undefined> | undefined): Promise<void> => {
    if (!answer) return
    unanswered++
    try {
      const response = await answer
      if (response) sendResponse(response)
    } finally {
      if (!--unanswered) for (const resolve of idleWaiters.splice(0)) resolve()
    }
  }
  const whenIdle = (): Promise<void> => new Promise((resolve) => void (unanswered ? idleWaiters.push(resolve) : resolve()))

  const handleBatch = (batch: readonly unknown[]): Promise<Response | Response[] | undefined> | undefined => {
    const refusal = refuseBatch(batch, options.acceptsBatches?.() ?? false, limits.maxBatch)
    if (refusal) return refuse({ value: batch }, { error: refusal.body() })
    return answerBatch(batch, answerEntry)
  }
  /** Answers a message of a batch. A request that is cancelled does not hold back the responses to the others. */
  const answerEntry = async (entry: unknown): Promise<Response | undefined> => {
    const context = new PeerRequestContext(sender)
    const answer = handle(entry, context)
    void reply(answer?.then(() => undefined))
    return Promise.race([answer, new Promise<undefined>((resolve) => context.onAbort(() => resolve(undefined)))])
  }

  channel.receive(
    (input) => {
      if ('unreadable' in input) return void reply(refuse(input, { error: UNREADABLE[input.unreadable].body() }))
      void reply(Array.isArray(input.value) ? handleBatch(input.value) : handle(input.value))
    },
    (reason = new ConnectionLostError()) => {
      closeReason ??= reason
      outgoing.rejectAll(closeReason)
      options.onDisconnect?.(closeReason)
      void whenIdle().then(options.onClose)
    },
  )

  return {
    notify: (notification) => channel.send(notification),
    request,
    cancel: (id, reason) => incoming.cancel(id, reason),
    cancelAll: (reason) => incoming.cancelAll(reason),
    whenIdle,
    close() {
      closeReason ??= closedLocally()
      return channel.close()
    },
  }
}

/** Creates a function that sends responses. A response that cannot be serialized is replaced by an internal error. */
function createResponseSender(channel: Channel, onError: PeerOptions['onError']): (response: Response | Response[]) => void {
  const replace = (response: Response, error: unknown): Response => {
    return internalError(onError?.(error)).response(response.id)
  }
  return (response) => {
    try {
      void channel.send(response)
    } catch (error) {
      void channel.send(Array.isArray(response) ? response.map((one) => replace(one, error)) : replace(response, error))
    }
  }
}
