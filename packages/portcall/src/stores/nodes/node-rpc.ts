/**
 * Requests and notifications between nodes, over a bus that may lose messages. A request is sent again until there is a response or the other
 * node has ended, seldom once that node has accepted it. A node runs each request once, even if it receives it several times.
 */

import { retryableOnce } from '../../../../util/src/async.ts'
import { createIdleTimers } from '../../../../util/src/idle-timers.ts'
import { delay } from '../../../../util/src/timers.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import type { Bus } from '../bus.ts'
import type { NodeLease } from './node-lease.ts'

/** Handles the messages of other nodes, by method. The value that a handler returns is the result of a request. */
export type NodeHandlers = { readonly [method: string]: (params: JsonObject) => unknown }

export interface NodeRpc {
  /** Receives messages from now on. Does nothing if it was started before. */
  start(): Promise<void>
  /** Sets the handlers. */
  setHandlers(handlers: NodeHandlers): void
  /**
   * Sends a request to a node or to the node of an owner. Resolves to its result, or to undefined if the node or the epoch of the owner has
   * ended.
   *
   * @throws the error of `createTimeoutError` if the node is alive and does not respond.
   */
  request(target: string, method: string, params: JsonObject): Promise<JsonObject | undefined>
  /** Sends a message that may be lost. */
  notify(target: string, method: string, params: JsonObject): void
  /** Sends a message that may be lost to all other nodes. Resolves when the bus has accepted it. */
  broadcast(method: string, params: JsonObject): Promise<void>
  stop(): void
}

export interface NodeRpcOptions {
  readonly bus: Bus
  /** The name of this node. */
  readonly node: string
  /** The start of the topics, which tells nodes for different purposes apart. */
  readonly prefix: string
  /** Tells which nodes are alive. Without it, a node has ended when it accepts no request for two seconds. */
  readonly lease?: Pick<NodeLease, 'isAlive'>
  /** Time allowed for a node that is alive to respond. */
  readonly timeoutMs: number
  readonly createTimeoutError: () => Error
  /** Called with the errors of handlers. */
  readonly onError: (error: unknown) => void
}

interface NodeMessage {
  from: string
  /** The number of a request of the sender. Absent for notifications. */
  id?: number
  method: string
  params: JsonObject
}

/** A request without a result. */
interface PendingRequest {
  isAccepted: boolean
  result: JsonObject | undefined
  /** Aborted when the result is there. */
  readonly responded: AbortController
}

/** A request of another node. */
interface ReceivedRequest {
  /** Absent while the request runs. */
  result?: JsonObject
}

const RETRY_INTERVAL_MS = 200
/** An accepted request is sent again after so many intervals only: its response may have been lost. */
const INTERVALS_ONCE_ACCEPTED = 10
/** Attempts after which a node that has accepted nothing has ended, if nothing else tells. */
const MAX_ATTEMPTS = 10
/** How long a request may run before its sender is told that it was accepted. */
const ACCEPT_DELAY_MS = 50
/** How long requests are known after they were received for the last time. */
const MAX_RETENTION_MS = 60_000
const RESPONSE = 'response'
const ACCEPTED = 'accepted'

export function createNodeRpc(options: NodeRpcOptions): NodeRpc {
  const { bus, node, prefix, lease, timeoutMs, createTimeoutError, onError } = options
  const pending = new Map<number, PendingRequest>()
  /** By sender and id. */
  const received = new Map<string, ReceivedRequest>()
  const retention = createIdleTimers<string>(Math.min(2 * timeoutMs, MAX_RETENTION_MS), (key) => void received.delete(key))
  /** The topics that this node is subscribed to, each with the function that ends it. */
  const subscriptions = new Map<string, () => void>()
  const broadcastTopic = `${prefix}/to`
  let handlers: NodeHandlers = {}
  let lastId = 0

  const topicOf = (target: string): string => `${broadcastTopic}/${nodeOf(target)}`
  const publish = (topic: string, message: NodeMessage): Promise<void> => bus.publish(topic, JSON.stringify(message))
  const tryPublish = (topic: string, message: NodeMessage): void => void publish(topic, message).catch(() => {})
  const run = async ({ method, params }: NodeMessage): Promise<JsonObject> => {
    try {
      const result = await handlers[method]?.(params)
      return isObject(result) ? result : {}
    } catch (error) {
      onError(error)
      return {}
    }
  }
  const respond = async (message: NodeMessage, id: number): Promise<void> => {
    const key = `${message.from}/${id}`
    const reply = (method: string, result?: JsonObject): void =>
      tryPublish(topicOf(message.from), { from: node, method, params: { id, ...(result && { result }) } })
    retention.touch(key)
    const known = received.get(key)
    if (known) return known.result ? reply(RESPONSE, known.result) : reply(ACCEPTED)
    const request: ReceivedRequest = {}
    received.set(key, request)
    const timer = setTimeout(reply, ACCEPT_DELAY_MS, ACCEPTED)
    request.result = await run(message)
    clearTimeout(timer)
    reply(RESPONSE, request.result)
  }
  const receive = (text: string): void => {
    const message = JSON.parse(text) as NodeMessage
    const { from, id, method, params } = message
    if (method === RESPONSE || method === ACCEPTED) receiveReply(pending.get(params.id as number), message)
    else if (id !== undefined) void respond(message, id)
    else if (from !== node) void run(message)
  }
  const starting = retryableOnce(async () => {
    // An attempt after a failure subscribes only to what is missing.
    const missing = [topicOf(node), broadcastTopic].filter((topic) => !subscriptions.has(topic))
    await Promise.all(missing.map(async (topic) => subscriptions.set(topic, await bus.subscribe(topic, receive))))
  })

  return {
    start: () => starting.run(),
    setHandlers(value) {
      handlers = value
    },
    async request(target, method, params) {
      const id = ++lastId
      const request: PendingRequest = { isAccepted: false, result: undefined, responded: new AbortController() }
      pending.set(id, request)
      const deadline = performance.now() + timeoutMs
      let attempt = 0
      const isAlive = lease?.isAlive ?? (async () => request.isAccepted || attempt < MAX_ATTEMPTS)
      try {
        for (; !request.result; attempt++) {
          if (attempt > 0 && !(await isAlive(target))) break
          if (performance.now() > deadline) throw createTimeoutError()
          if (!request.isAccepted || attempt % INTERVALS_ONCE_ACCEPTED === 0)
            tryPublish(topicOf(target), { from: node, id, method, params })
          await delay(RETRY_INTERVAL_MS, request.responded.signal).catch(() => {})
        }
        return request.result
      } finally {
        pending.delete(id)
      }
    },
    notify: (target, method, params) => tryPublish(topicOf(target), { from: node, method, params }),
    broadcast: (method, params) => publish(broadcastTopic, { from: node, method, params }),
    stop() {
      for (const unsubscribe of subscriptions.values()) unsubscribe()
      subscriptions.clear()
      retention.stop()
      received.clear()
    },
  }
}

/** Handles what another node says of a request, which may have ended. */
function receiveReply(request: PendingRequest | undefined, { method, params }: NodeMessage): void {
  if (!request) return
  request.isAccepted = true
  if (method !== RESPONSE) return
  request.result = isObject(params.result) ? params.result : {}
  request.responded.abort()
}

/** Returns the name of the node of an owner. */
function nodeOf(target: string): string {
  return target.split(':')[0] as string
}
