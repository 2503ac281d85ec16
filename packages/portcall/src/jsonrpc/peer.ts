import { answerBatch, refuseBatch } from './batch.ts'
import type { Channel, Received, Unreadable } from './channel.ts'
import { ConnectionLost, closedHere, ErrorCode, RpcError } from './errors.ts'
import type { Caller, Exchange } from './exchange.ts'
import { type Carried, createIncoming, type IncomingLimits } from './incoming.ts'
import { classify, type ErrorBody, failure, type Notification, type Request, type RequestId, type Response } from './message.ts'
import { failUnreadable, type Noise, noiseOf } from './noise.ts'
import { createOutgoing, type OutgoingOptions } from './outgoing.ts'

export interface PeerOptions extends OutgoingOptions {
  /** Answers the requests of the other side. */
  readonly exchange: Exchange
  /** Takes the notifications of the other side. */
  readonly onNotification?: (notification: Notification) => void
  /** Takes what cannot be read or has no sender to answer to; without it, that is answered with an error. */
  readonly onNoise?: (noise: Noise) => void
  /** Called once, when the channel has ended. */
  readonly onEnd?: (reason: Error) => void
  /** Called once, when after that nothing is being answered any more. */
  readonly onClose?: () => void
  /** Tells the other side that a request of ours is given up. */
  readonly onAbandoned?: (id: RequestId) => void
  /** Tells which requests stay open until one side ends them. */
  readonly isLongLived?: (request: Request) => boolean
  /** Takes what went wrong here and is no fault of the other side: an answer that cannot be written. */
  readonly onError?: (error: unknown) => void
  /** Tells whether arrays are taken for batches now. */
  readonly batches?: () => boolean
  readonly limits?: Partial<PeerLimits>
}

export interface PeerLimits extends IncomingLimits {
  maxBatch: number
}

export const PEER_LIMITS: PeerLimits = { maxInFlight: 256, maxQueued: 10_000, maxLongLived: 1024, maxBatch: 100 }

/** One end of a conversation over a channel: requests and notifications both ways. */
export interface Peer {
  notify(notification: Notification): void | Promise<void>
  /** Asks the other side. Rejects with `ConnectionLost` when the channel ends first. */
  ask(method: string, params?: Request['params'], caller?: Caller): Promise<Response>
  /** Gives up a request that the other side has sent. */
  cancel(id: unknown, reason?: unknown): boolean
  /** Gives up all of them. */
  cancelAll(reason?: unknown): void
  /** Resolves when nothing is being answered any more. */
  idle(): Promise<void>
  close(): Promise<void>
}

const UNREADABLE: { readonly [cause in Unreadable['unreadable']]: RpcError } = {
  syntax: new RpcError(ErrorCode.parseError, 'Parse error: this is not JSON in UTF-8'),
  size: new RpcError(ErrorCode.invalidRequest, 'Invalid request: the message is too large'),
  depth: new RpcError(ErrorCode.invalidRequest, 'Invalid request: the message is nested too deeply'),
}

/** Something that cannot be answered as it is. */
interface Refusal {
  readonly id?: RequestId
  readonly error: ErrorBody
  readonly silent?: true
}

const UNWRITABLE = new RpcError(ErrorCode.internalError, 'Internal error')

/** Joins a channel and an Exchange. */
export function createPeer(channel: Channel, options: PeerOptions): Peer {
  const limits = { ...PEER_LIMITS, ...options.limits }
  const incoming = createIncoming(options.exchange, {
    ...limits,
    ...(options.isLongLived && { isLongLived: options.isLongLived }),
  })
  const outgoing = createOutgoing(options)
  const answers = createAnswers(channel, options.onError)
  let ended: Error | undefined

  const send = (request: Request): void => {
    if (ended) throw ended
    void channel.send(request)
  }
  const ask: Peer['ask'] = (method, params, caller) =>
    outgoing.ask(method, params, { send, caller, onAbort: options.onAbandoned })
  const carried: Carried = { notify: (notification) => channel.send(notification), ask }

  const take = (value: unknown): Promise<Response | undefined> | undefined => {
    const received = classify(value)
    switch (received.kind) {
      case 'request':
        return incoming.handle(received.message, carried)
      case 'notification':
        return void options.onNotification?.(received.message)
      case 'response':
        return void outgoing.settle(received.message)
      case 'invalid':
        return refuse({ value }, received)
    }
  }

  /** Answers what is wrong, unless there is nobody to answer to, or it was an answer itself. */
  const refuse = (received: Received, { id, error, silent }: Refusal): Promise<Response> | undefined => {
    if (failUnreadable(received, outgoing)) return undefined
    if (id === undefined && options.onNoise) return void options.onNoise(noiseOf(received))
    return silent ? undefined : Promise.resolve(failure(id, error))
  }
  const reply = (answer: Promise<Response | undefined> | undefined): void =>
    void answer?.then((response) => response && answers.send(response))

  const takeBatch = async (batch: readonly unknown[]): Promise<void> => {
    const refused = refuseBatch(batch, options.batches?.() ?? false, limits.maxBatch)
    if (refused) return reply(refuse({ value: batch }, { error: refused.body() }))
    const answered = await answerBatch(batch, async (entry) => take(entry))
    if (answered.length > 0) answers.send(answered)
  }

  channel.receive(
    (received) => {
      if ('unreadable' in received) return reply(refuse(received, { error: UNREADABLE[received.unreadable].body() }))
      if (Array.isArray(received.value)) return void takeBatch(received.value)
      reply(take(received.value))
    },
    (reason = new ConnectionLost()) => {
      ended ??= reason
      outgoing.fail(ended)
      options.onEnd?.(ended)
      void incoming.idle().then(options.onClose)
    },
  )

  return {
    notify: (notification) => channel.send(notification),
    ask,
    cancel: (id, reason) => incoming.cancel(id, reason),
    cancelAll: (reason) => incoming.cancelAll(reason),
    idle: () => incoming.idle(),
    close() {
      ended ??= closedHere()
      return channel.close()
    },
  }
}

/** The way out for answers. */
interface Answers {
  /** What JSON cannot carry becomes an error; the connection and all other answers are none the worse for it. */
  send(answer: Response | Response[]): void
}

function createAnswers(channel: Channel, onError: PeerOptions['onError']): Answers {
  const orUnwritable = (response: Response, error: unknown): Response => {
    onError?.(error)
    return UNWRITABLE.response(response.id)
  }
  return {
    send(answer) {
      try {
        void channel.send(answer)
      } catch (error) {
        void channel.send(Array.isArray(answer) ? answer.map((one) => orUnwritable(one, error)) : orUnwritable(answer, error))
      }
    },
  }
}
