/**
 * Publish/subscribe between the processes of one service.
 *
 * Delivery is at most once. Messages that one process publishes to one topic arrive in order. Messages are not stored: a later subscriber
 * does not receive earlier ones. A subscriber that throws affects neither the publisher nor other subscribers.
 */
export interface Bus {
  /** Sends a message to all subscribers of a topic, including those of this process. Resolves when the bus has accepted it. */
  publish(topic: string, message: string): Promise<void>
  /**
   * Calls `onMessage` for each message published to the topic after the promise resolves; a message in flight at that moment may be
   * delivered too. The same function may subscribe several times. Resolves to a function that removes this subscription: after it returns,
   * nothing is delivered. Calling it again does nothing.
   */
  subscribe(topic: string, onMessage: (message: string) => void): Promise<() => void>
}

/** Options that every bus has. */
export interface BusOptions {
  /** Maximum number of subscriptions in this process; `subscribe` rejects with a `RangeError` beyond that. Default: 100,000. */
  maxSubscriptions?: number
  /** Called with errors that subscribers throw. Default: they are ignored. */
  onError?: (error: unknown) => void
}
