import type { BusOptions } from './bus.ts'

/** The subscriptions of this process to a bus, by topic. */
export interface Subscribers {
  /**
   * Adds a subscription. Returns a function that removes it and reports whether it was the last one of its topic.
   *
   * @throws RangeError above the maximum number of subscriptions.
   */
  add(topic: string, onMessage: (message: string) => void): () => boolean
  has(topic: string): boolean
  /** Returns the topics that have subscribers. */
  topics(): string[]
  /** Calls the current subscribers of a topic. Errors that they throw go to `onError`. */
  deliver(topic: string, message: string): void
  /** Removes all subscriptions. */
  clear(): void
}

interface Subscription {
  onMessage(message: string): void
  isActive: boolean
}

export function createSubscribers({ maxSubscriptions = 100_000, onError }: BusOptions): Subscribers {
  const subscriptionsByTopic = new Map<string, Set<Subscription>>()
  let count = 0

  const call = (subscription: Subscription, message: string): void => {
    try {
      if (subscription.isActive) subscription.onMessage(message)
    } catch (error) {
      onError?.(error)
    }
  }
  const remove = (topic: string, subscription: Subscription): boolean => {
    const subscriptions = subscriptionsByTopic.get(topic)
    if (!subscription.isActive || !subscriptions) return false
    subscription.isActive = false
    count--
    subscriptions.delete(subscription)
    return subscriptions.size === 0 && subscriptionsByTopic.delete(topic)
  }

  return {
    add(topic, onMessage) {
      if (count >= maxSubscriptions)
        throw new RangeError(`This bus is limited to ${maxSubscriptions} subscriptions (maxSubscriptions)`)
      const subscription: Subscription = { onMessage, isActive: true }
      subscriptionsByTopic.set(topic, (subscriptionsByTopic.get(topic) ?? new Set()).add(subscription))
      count++
      return () => remove(topic, subscription)
    },
    has: (topic) => subscriptionsByTopic.has(topic),
    topics: () => [...subscriptionsByTopic.keys()],
    deliver(topic, message) {
      const subscriptions = subscriptionsByTopic.get(topic)
      if (subscriptions) for (const subscription of [...subscriptions]) call(subscription, message)
    },
    clear() {
      for (const [topic, subscriptions] of subscriptionsByTopic)
        for (const subscription of [...subscriptions]) remove(topic, subscription)
    },
  }
}
