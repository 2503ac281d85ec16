import { backoffMs } from '../../../../util/src/backoff.ts'
import { interruptibleDelay } from '../../../../util/src/timers.ts'
import type { Auth } from '../../jsonrpc/exchange.ts'
import { type JsonObject, type Notification, notification } from '../../jsonrpc/message.ts'
import type { CombinedPolicies } from '../policy/combine.ts'
import { GATEWAY_LIST_CHANGES, type GatewayListChange } from '../policy/item-kinds.ts'
import type { GatewayUpstream } from '../upstreams/upstream.ts'
import { acceptedPart, type Filter, isEmptyFilter, isSameFilter, uniteFilters } from './filters.ts'
import { openUpstreamStream, type UpstreamStream } from './upstream-stream.ts'

/** The notifications of one server that a subscriber gets. */
export interface SubscriberFilter {
  readonly filter: Filter
  onNotification(notification: Notification): void
}

/** The subscription to one server, shared by all subscribers with the same rights. The server gets one filter for all of them. */
export interface UpstreamListener {
  /** Adds a subscriber. Resolves to the part of its filter that the server has accepted; to all of it while the server is not available. */
  add(subscriber: SubscriberFilter): Promise<Filter>
  /** Removes a subscriber. The last one ends the subscription. */
  remove(subscriber: SubscriberFilter): void
  /**
   * Resubscribes, and reports missed changes since `unavailableSince`, in milliseconds since 1970. Without it, an open subscription stays open; changes
   * that have been reported are not reported again.
   */
  recover(unavailableSince: number | undefined): void
  close(): void
}

export interface UpstreamListenerOptions {
  readonly upstream: GatewayUpstream
  readonly meta: JsonObject
  readonly auth: Auth | undefined
  /** Returns the current policies. */
  readonly policies: () => CombinedPolicies
  /** Called when the last subscriber is removed. */
  readonly onUnused: () => void
}

const RETRY_DELAY = { firstMs: 250, maxMs: 30_000 }
/** Minimum duration of a stable stream. */
const STABLE_MS = 1000
const ACKNOWLEDGE_TIMEOUT_MS = 2000
const RESOURCE_UPDATED = 'notifications/resources/updated'

export function createUpstreamListener(options: UpstreamListenerOptions): UpstreamListener {
  const { upstream, meta, auth, policies, onUnused } = options
  const subscribers = new Set<SubscriberFilter>()
  const closing = new AbortController()
  let current: UpstreamStream | undefined
  const failures = createFailureCounter()
  /** The stream was lost, and no other has been opened since. */
  let isLost = false
  /** Ends the delay before the next attempt. Present until a lost subscription has been recovered. */
  let retry: AbortController | undefined
  /** The server can be reached again, even if the subscription fails. */
  let isAvailable = false
  /** Time when everything was last reported as changed, in milliseconds since 1970. */
  let reportedAt = 0

  const deliver = (message: Notification): void => {
    for (const subscriber of subscribers) subscriber.onNotification(message)
  }
  /** Reports possible changes while there was no subscription, also of lists whose changes the server does not announce. */
  const deliverAll = (accepted: Filter | undefined): void => {
    reportedAt = Date.now()
    isAvailable = false
    for (const message of possibleChanges({ ...united(), ...urisOf(accepted) })) deliver(message)
  }
  const open = (filter: Filter): UpstreamStream =>
    openUpstreamStream({
      ...{ upstream, meta, auth, policies, filter, onNotification: deliver, onRenewed: deliverAll, onEnd: ended },
      signal: closing.signal,
    })
  const ended = (stream: UpstreamStream, isRefused: boolean): void => {
    if (current !== stream) return
    current = undefined
    if (isRefused) return
    failures.ended()
    isLost = true
    if (!retry) void reopen()
  }
  const acknowledged = async (): Promise<Filter | undefined> => current && withTimeout(current.acknowledged)
  /** Opens a stream again after the previous one was lost, and reports possible changes. */
  const reopen = async (): Promise<void> => {
    while (isLost && !closing.signal.aborted && subscribers.size > 0) {
      retry = new AbortController()
      await interruptibleDelay(backoffMs(failures.count++, RETRY_DELAY), AbortSignal.any([retry.signal, closing.signal]))
      isLost = false
      await update()
      const accepted = await acknowledged()
      if (isAvailable || !isLost) deliverAll(accepted)
    }
    isLost = false
    retry = undefined
  }
  const united = (): Filter => uniteFilters([...subscribers].map((subscriber) => subscriber.filter))
  /** Opens a stream for the filters of all subscribers, and closes the previous one when the new one is acknowledged. */
  const replaceStream = async (): Promise<void> => {
    const filter = united()
    if (closing.signal.aborted || (current && isSameFilter(current.filter, filter))) return
    const previous = current
    current = isEmptyFilter(filter) ? undefined : open(filter)
    failures.opened()
    await acknowledged()
    previous?.close()
  }
  const update = coalesce(replaceStream)

  return {
    async add(subscriber) {
      subscribers.add(subscriber)
      await update()
      const accepted = await acknowledged()
      return accepted ? acceptedPart(subscriber.filter, accepted) : subscriber.filter
    },
    remove(subscriber) {
      if (!subscribers.delete(subscriber)) return
      if (subscribers.size === 0) onUnused()
      void update()
    },
    recover(unavailableSince) {
      if (subscribers.size === 0 || (unavailableSince !== undefined && unavailableSince <= reportedAt)) return
      if (!retry) {
        if (current && unavailableSince === undefined) return
        current?.close()
        current = undefined
        isLost = true
        void reopen()
      }
      isAvailable = true
      // A server that can be reached, and ends every stream, is not asked again immediately.
      if (unavailableSince !== undefined || failures.count <= 1) retry?.abort()
    },
    close() {
      closing.abort()
      subscribers.clear()
    },
  }
}

/** Counts the attempts since the last stream that was stable. */
function createFailureCounter(): { count: number; opened(): void; ended(): void } {
  let openedAt = 0
  return {
    count: 0,
    opened() {
      openedAt = Date.now()
    },
    ended() {
      if (Date.now() - openedAt > STABLE_MS) this.count = 0
    },
  }
}

/** Returns a function that runs a task. Calls before it starts are one; calls while it runs make it run once more. */
function coalesce(task: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let isOutdated = false
  return () => {
    isOutdated = true
    running ??= (async () => {
      await Promise.resolve()
      while (isOutdated) {
        isOutdated = false
        await task()
      }
      running = undefined
    })()
    return running
  }
}

/** Returns a notification for everything that a filter accepts. */
function possibleChanges(filter: Filter): Notification[] {
  const lists = Object.keys(filter).filter((key) => Object.hasOwn(GATEWAY_LIST_CHANGES, key))
  const uris = filter.resourceSubscriptions ?? []
  return [
    ...lists.map((list) => notification(GATEWAY_LIST_CHANGES[list as GatewayListChange])),
    ...uris.map((uri) => notification(RESOURCE_UPDATED, { uri })),
  ]
}

/** Returns the resources whose updates a server reports. */
function urisOf(accepted: Filter | undefined): Filter {
  return { resourceSubscriptions: accepted?.resourceSubscriptions ?? [] }
}

function withTimeout<T>(promise: Promise<T>): Promise<T | undefined> {
  return Promise.race([promise, interruptibleDelay(ACKNOWLEDGE_TIMEOUT_MS, new AbortController().signal).then(() => undefined)])
}
