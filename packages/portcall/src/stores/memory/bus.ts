import type { Bus, BusOptions } from '../bus.ts'
import { createSubscribers } from '../subscribers.ts'

/**
 * Creates a bus within this process. `publish` calls the subscribers before it returns. A message that a subscriber publishes is delivered
 * after the current one, so that all subscribers receive messages in the same order.
 */
export function createMemoryBus(options: BusOptions = {}): Bus {
  const subscribers = createSubscribers(options)
  const queue: Array<[topic: string, message: string]> = []
  let isDelivering = false

  const deliverAll = (): void => {
    isDelivering = true
    try {
      for (let next = queue.shift(); next; next = queue.shift()) subscribers.deliver(...next)
    } finally {
      isDelivering = false
    }
  }

  return {
    async publish(topic, message) {
      if (!subscribers.has(topic)) return
      queue.push([topic, message])
      if (!isDelivering) deliverAll()
    },
    async subscribe(topic, onMessage) {
      const remove = subscribers.add(topic, onMessage)
      return () => void remove()
    },
  }
}
