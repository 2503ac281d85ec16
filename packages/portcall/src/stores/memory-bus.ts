import type { Bus } from './bus.ts'
import { createTopics } from './topics.ts'

/** The bounds of a bus in memory. */
export interface MemoryBusOptions {
  /** Subscriptions in all; more are refused. Default: 100,000. */
  maxSubscriptions?: number
  /** Is told what subscribers throw. Default: nobody is. */
  onError?: (error: unknown) => void
}

/**
 * Makes a bus within this process. Subscribers are called before `publish` returns, unless it is called by one of them: then,
 * in turn.
 */
export function createMemoryBus(options: MemoryBusOptions = {}): Bus {
  const { maxSubscriptions = 100_000, onError } = options
  const topics = createTopics({ maxSubscriptions, onError })
  const queue: Array<[topic: string, message: string]> = []
  let delivering = false

  const deliver = (): void => {
    delivering = true
    try {
      for (let next = queue.shift(); next; next = queue.shift()) topics.deliver(...next)
    } finally {
      delivering = false
    }
  }

  return {
    async publish(topic, message) {
      if (!topics.has(topic)) return
      queue.push([topic, message])
      if (!delivering) deliver()
    },
    async subscribe(topic, onMessage) {
      const end = topics.add(topic, onMessage)
      return () => void end()
    },
  }
}
