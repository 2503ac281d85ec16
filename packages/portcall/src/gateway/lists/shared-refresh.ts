import { randomId } from '../../../../util/src/random.ts'
import { isObject } from '../../jsonrpc/message.ts'
import { type KeptSubscription, keepSubscribed } from '../../stores/keep-subscribed.ts'
import type { Stores } from '../../stores/stores.ts'

/** Announces to the other processes of a gateway that servers offer something else, for example after a sign-in. */
export interface SharedRefresh {
  /** Announces a change of one server, or of all. */
  announce(server: string | undefined): void
  /** Receives announcements from now on. */
  join(): void
  close(): void
}

const TOPIC = 'gateway-refresh'

/** Without stores, there are no other processes. `onRefresh` is not called for what this process announces. */
export function createSharedRefresh(
  stores: Pick<Stores, 'bus'> | undefined,
  onRefresh: (server: string | undefined) => void,
): SharedRefresh {
  if (!stores) return { announce() {}, join() {}, close() {} }
  const { bus } = stores
  const processId = randomId(9)
  let isClosed = false
  let subscription: KeptSubscription | undefined
  const receive = (text: string): void => {
    const message: unknown = JSON.parse(text)
    if (!isObject(message) || message.from === processId) return
    onRefresh(typeof message.server === 'string' ? message.server : undefined)
  }
  return {
    announce(server) {
      bus.publish(TOPIC, JSON.stringify({ from: processId, server })).catch(() => {})
    },
    join() {
      if (!isClosed)
        subscription ??= keepSubscribed({ bus, topic: TOPIC, onMessage: receive, onLate: () => onRefresh(undefined) })
    },
    close() {
      isClosed = true
      subscription?.end()
    },
  }
}
