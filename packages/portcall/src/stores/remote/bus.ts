import type { Bus } from '../bus.ts'
import type { Subscribers } from '../subscribers.ts'
import type { Batcher, Idle } from './batcher.ts'
import type { PersistentConnection } from './persistent-connection.ts'

/** A bus with a connection of its own for subscriptions. */
export interface RemoteBus extends Bus, Idle {
  /** Drops the connection, which may be broken, and reconnects. */
  reconnect(): void
  close(): void
}

export interface RemoteBusParts<C, M> {
  readonly subscribers: Subscribers
  /** The connection that receives messages. */
  readonly connection: PersistentConnection<C>
  /** Sends published messages. */
  readonly outgoing: Batcher<M, unknown>
  /** Encodes a message for `outgoing`. */
  encode(topic: string, message: string): M
  /** Runs an operation through the circuit breaker of the server. */
  run<T>(operation: () => Promise<T>): Promise<T>
  /** Subscribes the connection to a topic. */
  subscribe(connection: C, topic: string): Promise<void>
  /** Called when the last subscription to a topic was removed. */
  unsubscribe(topic: string): void
}

export function createRemoteBus<C, M>(parts: RemoteBusParts<C, M>): RemoteBus {
  const { subscribers, connection, outgoing, run } = parts
  return {
    publish: async (topic, message) => void (await outgoing.add(parts.encode(topic, message), 2 * message.length)),
    async subscribe(topic, onMessage) {
      const remove = subscribers.add(topic, onMessage)
      const unsubscribe = (): void => void (remove() && parts.unsubscribe(topic))
      try {
        await run(async () => parts.subscribe(await connection.get(), topic))
        return unsubscribe
      } catch (error) {
        unsubscribe()
        throw error
      }
    },
    reconnect: () => connection.drop(),
    idle: () => outgoing.idle(),
    close() {
      subscribers.clear()
      connection.close()
    },
  }
}
