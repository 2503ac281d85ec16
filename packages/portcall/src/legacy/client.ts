/**
 * Makes a server of the legacy era look new: the client side of `session.ts`. The core client knows no sessions and no handshake; it calls
 * an Exchange of the newest revision. This one shakes hands once, answers `server/discover` out of what it heard then, takes the envelope
 * off each request, reads each answer as one of the newest revision, and answers what the server asks on its own with the client's one
 * answering function.
 */

import { ConnectionLost, closedHere, RpcError } from '../jsonrpc/errors.ts'
import type { Exchange } from '../jsonrpc/exchange.ts'
import { type JsonObject, type Notification, type RequestId, type Response, success } from '../jsonrpc/message.ts'
import { untilAborted } from '../jsonrpc/waiting.ts'
import { methodNotFound } from '../protocol/errors.ts'
import { LATEST_LEGACY, REVISIONS, type Revision } from '../protocol/revisions.ts'
import { TASKS_EXTENSION } from '../protocol/tasks.ts'
import type { ServerCapabilities } from '../protocol/types.ts'
import { type Answer, createClientAsks } from './client-asks.ts'
import { createForwarder, type Forwarder } from './client-forward.ts'
import { type Handshake, type HandshakeOptions, shakeHands } from './client-handshake.ts'
import { type ClientSubscriptions, createClientSubscriptions } from './client-subscriptions.ts'
import type { ClientTasks } from './client-tasks.ts'
import type { LegacyLink } from './link.ts'

export type { Answer } from './client-asks.ts'

export interface LegacyClientOptions extends HandshakeOptions {
  readonly link: LegacyLink
  /** Answers what the server asks; only what `capabilities` declare is passed on to it. */
  readonly answer: Answer
  /** Hears each log message once, whatever is being asked: they belong to the session. Without it, requests that asked for them do. */
  readonly onLog?: (params: JsonObject) => void
  /** Gives the handshake up: the link is closed then, for `initialize` cannot be cancelled. */
  readonly signal?: AbortSignal
}

/** A server of the legacy era, in the terms of the newest revision. */
export interface LegacyClient {
  readonly exchange: Exchange
  /** The revision that was negotiated. */
  readonly revision: Revision
  /** Calls back once, when the connection has ended; at once when it has already. */
  onClose(listener: (reason: Error) => void): void
  close(): Promise<void>
}

/** Where everything goes once hands are shaken. */
interface Conversation {
  readonly forwarder: Forwarder
  readonly subscriptions: ClientSubscriptions
  /** There when both sides speak of tasks. */
  readonly tasks: ClientTasks | undefined
}

const KNOWN_REQUESTS = new Set(REVISIONS.flatMap(({ requests }) => requests))

/**
 * Opens a conversation with a server of the legacy era.
 *
 * @throws NegotiationError when it speaks none of the versions; RpcError when it refuses; what the link throws. The link is closed then.
 */
export async function openLegacyClient(options: LegacyClientOptions): Promise<LegacyClient> {
  const { link, answer, capabilities, signal, onLog } = options
  const closing: Array<(reason: Error) => void> = []
  let revision = LATEST_LEGACY
  let conversation: Conversation | undefined
  let ended: Error | undefined

  const finish = (reason: Error = new ConnectionLost()): void => {
    ended ??= reason
    conversation?.subscriptions.close(ended)
    for (const listener of closing.splice(0)) listener(ended)
  }
  const close = (): Promise<void> => {
    finish(closedHere())
    return link.close()
  }
  const onNotification = (told: Notification): void => {
    if (onLog && told.method === 'notifications/message') onLog(told.params ?? {})
    else if (conversation?.tasks?.deliver(told)) return
    else if (!conversation?.subscriptions.deliver(told)) conversation?.forwarder.deliver(told)
  }

  const answerAll: Answer = (method, params, asking) =>
    conversation?.tasks?.ask(method, params, asking) ?? answer(method, params, asking)
  const onRequest = createClientAsks({ answer: answerAll, capabilities, revision: () => revision })
  link.receive({ onRequest, onNotification, onClose: finish, onGap: () => conversation?.subscriptions.deliverAll() })
  const handshake = await untilAborted(shakeHands(link, options), signal).catch(async (error: unknown) => {
    await close()
    throw error
  })
  revision = handshake.revision
  conversation = await converse(handshake, options)
  const exchange = translate(handshake, conversation)
  return {
    revision,
    exchange: (request, context) => (ended ? Promise.reject(ended) : exchange(request, context)),
    onClose: (listener) => void (ended ? listener(ended) : closing.push(listener)),
    close,
  }
}

async function converse({ discovered, revision }: Handshake, { link, capabilities }: LegacyClientOptions): Promise<Conversation> {
  const server = discovered.capabilities as ServerCapabilities
  const forwarder = createForwarder({ link, capabilities, server, revision })
  const subscriptions = createClientSubscriptions({ capabilities: server, ask: (method, params) => link.ask(method, params) })
  if (!server.extensions?.[TASKS_EXTENSION] || !capabilities.extensions?.[TASKS_EXTENSION])
    return { forwarder, subscriptions, tasks: undefined }
  const { createClientTasks } = await import('./client-tasks.ts')
  return {
    forwarder,
    subscriptions,
    tasks: createClientTasks({ link, forward: forwarder.exchange, listen: subscriptions.listen }),
  }
}

/** Answers what the server does not know by itself, and forwards the rest. */
function translate({ revision, discovered }: Handshake, { forwarder, subscriptions, tasks }: Conversation): Exchange {
  const local: { readonly [method: string]: Exchange } = {
    'server/discover': async ({ id }) => success(id, discovered),
    'subscriptions/listen': subscriptions.listen,
    ...tasks?.methods,
  }
  return (request, context) => {
    const { id, method } = request
    const own = Object.hasOwn(local, method) ? local[method] : undefined
    if (own) return own(request, context).catch(toResponse(id))
    if (KNOWN_REQUESTS.has(method) && !revision.requests.includes(method))
      return Promise.resolve(methodNotFound(method).response(id))
    return forwarder.exchange(request, context)
  }
}

function toResponse(id: RequestId): (error: unknown) => Response {
  return (error) => {
    if (error instanceof RpcError) return error.response(id)
    throw error
  }
}
