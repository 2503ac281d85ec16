import type { Bus } from '../bus.ts'
import type { Topics } from '../topics.ts'
import type { Lane } from './lane.ts'
import type { Standing } from './standing.ts'

/** A bus over a connection of its own. */
export interface RemoteBus extends Bus {
  /** Opens the connection again: it may be dead. */
  renew(): void
  /** Resolves when all that was published is said. */
  idle(): Promise<void>
  close(): void
}

/** What a bus is made of. */
export interface RemoteBusParts<C, M> {
  readonly topics: Topics
  /** The connection that hears. */
  readonly standing: Standing<C>
  /** The way for what is published, and what goes on it. */
  readonly outgoing: Lane<M, unknown>
  write(topic: string, message: string): M
  /** Runs something on the server under its guard. */
  guarded<T>(operation: () => Promise<T>): Promise<T>
  /** Lets the connection hear of a topic. */
  hear(connection: C, topic: string): Promise<void>
  /** Nobody listens to a topic any more. */
  forget(topic: string): void
}

export function createRemoteBus<C, M>(parts: RemoteBusParts<C, M>): RemoteBus {
  const { topics, standing, outgoing, guarded } = parts
  return {
    publish: async (topic, message) => void (await outgoing.add(parts.write(topic, message), 2 * message.length)),
    async subscribe(topic, onMessage) {
      const remove = topics.add(topic, onMessage)
      const end = (): void => void (remove() && parts.forget(topic))
      try {
        await guarded(async () => parts.hear(await standing.get(), topic))
        return end
      } catch (error) {
        end()
        throw error
      }
    },
    renew: () => standing.drop(),
    idle: () => outgoing.idle(),
    close() {
      topics.clear()
      standing.close()
    },
  }
}
