import type { Bus } from './bus.ts'

export interface MemoryBusOptions {
  /** Subscriptions in all; more are refused. Default: 100,000. */
  maxSubscriptions?: number
  /** Is told what subscribers throw. Default: nobody is. */
  onError?: (error: unknown) => void
}

interface Subscription {
  onMessage(message: string): void
  active: boolean
}

/**
 * Makes a bus within this process. Subscribers are called before `publish` returns, unless it is called by one of them: then,
 * in turn.
 */
export function createMemoryBus(options: MemoryBusOptions = {}): Bus {
  const { maxSubscriptions = 100_000, onError } = options
  const topics = new Map<string, Set<Subscription>>()
  const queue: Array<[topic: string, message: string]> = []
  let delivering = false
  let subscriptions = 0

  const hand = (subscription: Subscription, message: string): void => {
    try {
      if (subscription.active) subscription.onMessage(message)
    } catch (error) {
      onError?.(error)
    }
  }
  const deliver = (): void => {
    delivering = true
    try {
      for (let next = queue.shift(); next; next = queue.shift()) {
        const [topic, message] = next
        for (const subscription of [...(topics.get(topic) ?? [])]) hand(subscription, message)
      }
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
      if (subscriptions >= maxSubscriptions) throw new RangeError(`This bus has room for ${maxSubscriptions} subscriptions`)
      const subscription: Subscription = { onMessage, active: true }
      const others = topics.get(topic) ?? new Set()
      topics.set(topic, others.add(subscription))
      subscriptions++
      return () => {
        if (!subscription.active) return
        subscription.active = false
        subscriptions--
        others.delete(subscription)
        if (others.size === 0) topics.delete(topic)
      }
    },
  }
}
