/**
 * Messages by topic, to whoever listens now: how the processes of one service tell each other what has changed.
 *
 * Delivery is at most once and keeps the order in which one process published to one topic. Nothing is stored: who subscribes
 * later has missed it. A subscriber that throws hurts neither the publisher nor other subscribers.
 */
export interface Bus {
  /** Sends a message to all subscribers of a topic, those of this process included. Resolves when the bus has taken it. */
  publish(topic: string, message: string): Promise<void>
  /**
   * Calls `onMessage` for each message published to the topic from when the promise resolves, and perhaps for one that is on its way then.
   * The same function may subscribe several times. Resolves to a function that ends this subscription; from then on nothing is delivered, calling it again does
   * nothing.
   */
  subscribe(topic: string, onMessage: (message: string) => void): Promise<() => void>
}
