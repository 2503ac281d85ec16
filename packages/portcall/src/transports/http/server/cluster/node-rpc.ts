/**
 * Requests and notifications between nodes, over a bus that may lose messages. A request is sent again until there is a response or the
 * lease of the other node has expired. A node runs each request once, even if it receives it several times.
 */

import { retryableOnce } from '../../../../../../util/src/async.ts'
import { createIdleTimers } from '../../../../../../util/src/idle-timers.ts'
import { delay } from '../../../../../../util/src/timers.ts'
import { isObject, type JsonObject } from '../../../../jsonrpc/message.ts'
import type { Bus } from '../../../../stores/bus.ts'
import { HttpError, httpError } from '../http-error.ts'
import type { NodeLease } from './node-lease.ts'
import { keys } from './records.ts'

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
   * @throws HttpError 503 if the node is alive and does not respond.
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
  readonly lease: NodeLease
  /** Time allowed for a node that is alive to respond. */
  readonly timeoutMs: number
  readonly onError: (error: unknown) => void
}

interface NodeMessage {
  from: string
  /** The number of a request of the sender. Absent for notifications. */
  id?: number
  method: string
  params: JsonObject
}

const RETRY_INTERVAL_MS = 200
const RESPONSE = 'response'

export function createNodeRpc({ bus, lease, timeoutMs, onError }: NodeRpcOptions): NodeRpc {
  const { node } = lease
  const pending = new Map<number, (result: JsonObject) => void>()
  /** The results of requests, by sender and id. */
  const results = new Map<string, Promise<unknown>>()
  const retention = createIdleTimers<string>(2 * timeoutMs, (key) => void results.delete(key))
  /** The topics that this node is subscribed to, each with the function that ends it. */
  const subscriptions = new Map<string, () => void>()
  let handlers: NodeHandlers = {}
  let lastId = 0

  const publish = (topic: string, message: NodeMessage): Promise<void> => bus.publish(topic, JSON.stringify(message))
  const tryPublish = (topic: string, message: NodeMessage): void => void publish(topic, message).catch(() => {})
  const run = async ({ method, params }: NodeMessage): Promise<unknown> => {
    try {
      return (await handlers[method]?.(params)) ?? {}
    } catch (error) {
      if (!(error instanceof HttpError)) onError(error)
      return {}
    }
  }
  const respond = async (request: NodeMessage, id: number): Promise<void> => {
    const key = `${request.from}/${id}`
    const result = results.get(key) ?? run(request)
    results.set(key, result)
    retention.touch(key)
    tryPublish(keys.nodeTopic(request.from), { from: node, method: RESPONSE, params: { id, result: await result } })
  }
  const receive = (text: string): void => {
    const message = JSON.parse(text) as NodeMessage
    const { from, id, method, params } = message
    if (method === RESPONSE) pending.get(params.id as number)?.(isObject(params.result) ? params.result : {})
    else if (id !== undefined) void respond(message, id)
    else if (from !== node) void run(message)
  }
  const starting = retryableOnce(async () => {
    // An attempt after a failure subscribes only to what is missing.
    const missing = [keys.nodeTopic(node), keys.broadcastTopic].filter((topic) => !subscriptions.has(topic))
    await Promise.all(missing.map(async (topic) => subscriptions.set(topic, await bus.subscribe(topic, receive))))
  })

  return {
    start: () => starting.run(),
    setHandlers(value) {
      handlers = value
    },
    async request(target, method, params) {
      const id = ++lastId
      const responded = new AbortController()
      const responses: JsonObject[] = []
      pending.set(id, (result) => {
        responses.push(result)
        responded.abort()
      })
      const deadline = performance.now() + timeoutMs
      try {
        for (let attempt = 0; responses.length === 0; attempt++) {
          if (attempt > 0 && !(await lease.isAlive(target))) break
          if (performance.now() > deadline)
            throw httpError(503, 'Another process does not respond: try again later', { 'retry-after': '1' })
          tryPublish(keys.nodeTopic(nodeOf(target)), { from: node, id, method, params })
          await delay(RETRY_INTERVAL_MS, responded.signal).catch(() => {})
        }
        return responses[0]
      } finally {
        pending.delete(id)
      }
    },
    notify: (target, method, params) => tryPublish(keys.nodeTopic(nodeOf(target)), { from: node, method, params }),
    broadcast: (method, params) => publish(keys.broadcastTopic, { from: node, method, params }),
    stop() {
      for (const unsubscribe of subscriptions.values()) unsubscribe()
      subscriptions.clear()
      retention.stop()
      results.clear()
    },
  }
}

/** Returns the name of the node of an owner. */
function nodeOf(target: string): string {
  return target.split(':')[0] as string
}
