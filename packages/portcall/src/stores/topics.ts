/** The subscriptions of this process, by topic: what every bus keeps. */
export interface Topics {
  /** Adds a subscription; the function ends it, once, and tells whether it was the last one of its topic. @throws RangeError when there is no room. */
  add(topic: string, onMessage: (message: string) => void): () => boolean
  has(topic: string): boolean
  /** The topics that somebody listens to. */
  names(): string[]
  /** Calls the subscribers of a topic that are there now; what they throw goes to `onError`. */
  deliver(topic: string, message: string): void
  /** Ends all. */
  clear(): void
}

export interface TopicsOptions {
  /** Subscriptions in all; more are refused. */
  maxSubscriptions: number
  onError?: ((error: unknown) => void) | undefined
}

interface Subscription {
  onMessage(message: string): void
  active: boolean
}

export function createTopics({ maxSubscriptions, onError }: TopicsOptions): Topics {
  const topics = new Map<string, Set<Subscription>>()
  let subscriptions = 0

  const hand = (subscription: Subscription, message: string): void => {
    try {
      if (subscription.active) subscription.onMessage(message)
    } catch (error) {
      onError?.(error)
    }
  }
  const remove = (topic: string, subscription: Subscription): boolean => {
    const others = topics.get(topic)
    if (!subscription.active || !others) return false
    subscription.active = false
    subscriptions--
    others.delete(subscription)
    return others.size === 0 && topics.delete(topic)
  }

  return {
    add(topic, onMessage) {
      if (subscriptions >= maxSubscriptions) throw new RangeError(`This bus has room for ${maxSubscriptions} subscriptions`)
      const subscription: Subscription = { onMessage, active: true }
      topics.set(topic, (topics.get(topic) ?? new Set()).add(subscription))
      subscriptions++
      return () => remove(topic, subscription)
    },
    has: (topic) => topics.has(topic),
    names: () => [...topics.keys()],
    deliver(topic, message) {
      const listening = topics.get(topic)
      if (listening) for (const subscription of [...listening]) hand(subscription, message)
    },
    clear() {
      for (const [topic, listening] of topics) for (const subscription of [...listening]) remove(topic, subscription)
    },
  }
}
