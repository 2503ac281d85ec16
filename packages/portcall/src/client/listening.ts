import type { Notification } from '../jsonrpc/message.ts'
import type { SubscriptionFilter } from '../protocol/types.ts'
import { type SubscribeOptions, type Subscription, subscribe } from './subscribe.ts'

/** All that a client listens for. */
export interface Listening {
  /** Listens until it is closed; `onOther` hears what is no change of the core. */
  listen(filter: SubscriptionFilter, onOther?: (notification: Notification) => void): Subscription
  close(): void
}

export function createListening(options: Omit<SubscribeOptions, 'onEnd' | 'onOther'>): Listening {
  const subscriptions = new Set<Subscription>()
  return {
    listen(filter, onOther) {
      const onEnd = (): void => void subscriptions.delete(subscription)
      const subscription = subscribe(filter, { ...options, onEnd, ...(onOther && { onOther }) })
      subscriptions.add(subscription)
      return subscription
    },
    close() {
      for (const subscription of subscriptions) subscription.close()
    },
  }
}
