import { RpcError } from '../../jsonrpc/errors.ts'
import type { Auth } from '../../jsonrpc/exchange.ts'
import { isObject, type JsonObject, type Notification, notification } from '../../jsonrpc/message.ts'
import { MetaKey } from '../../protocol/meta.ts'
import { LIST_CHANGES, type ListChange } from '../../protocol/methods.ts'
import type { SubscriptionFilter } from '../../protocol/types.ts'
import { backoffMs } from '../../util/backoff.ts'
import { interruptibleDelay } from '../../util/timers.ts'
import { requestResult } from '../upstreams/fetch-list.ts'
import type { GatewayUpstream } from '../upstreams/upstream.ts'
import { acceptedPart, type Filter, isEmptyFilter, isSameFilter, uniteFilters } from './filters.ts'

/** What a subscriber wants to know of one server. */
export interface Interest {
  readonly filter: Filter
  onNotification(notification: Notification): void
}

/** The subscription to one server, shared by all subscribers with the same rights. The server sees what all of them want together. */
export interface UpstreamListener {
  /** Adds an interest. Resolves to the part that the server has accepted; to everything while the server is not available. */
  add(interest: Interest): Promise<Filter>
  /** Removes an interest. The last one ends the subscription. */
  remove(interest: Interest): void
  close(): void
}

export interface UpstreamListenerOptions {
  readonly upstream: GatewayUpstream
  readonly meta: JsonObject
  readonly auth: Auth | undefined
  /** Called when the last interest is removed. */
  readonly onUnused: () => void
}

/** An open `subscriptions/listen` request. */
interface Stream {
  readonly filter: Filter
  readonly controller: AbortController
  /** Resolves to what the server accepted, or `undefined` if the request failed first. */
  readonly acknowledged: Promise<Filter | undefined>
}

const RETRY_DELAY = { firstMs: 250, maxMs: 30_000 }
const ACKNOWLEDGE_TIMEOUT_MS = 2000
const RESOURCE_UPDATED = 'notifications/resources/updated'

export function createUpstreamListener(options: UpstreamListenerOptions): UpstreamListener {
  const { upstream, meta, auth, onUnused } = options
  const interests = new Set<Interest>()
  const closing = new AbortController()
  let current: Stream | undefined
  let updating: Promise<void> | undefined
  let isOutdated = false
  let failures = 0

  const deliver = (message: Notification): void => {
    for (const interest of interests) interest.onNotification(message)
  }
  const openStream = (filter: Filter): Stream => {
    const controller = new AbortController()
    const signal = AbortSignal.any([controller.signal, closing.signal])
    let acknowledge!: (accepted: Filter | undefined) => void
    const acknowledged = new Promise<Filter | undefined>((resolve) => {
      acknowledge = resolve
    })
    const stream: Stream = { filter, controller, acknowledged }
    const notify = (message: Notification): void => {
      const { method, params = {} } = message
      if (method === 'notifications/subscriptions/acknowledged')
        acknowledge(isObject(params.notifications) ? (params.notifications as SubscriptionFilter) : {})
      else deliver({ ...message, params: withoutSubscriptionId(params) })
    }
    const end = (error: unknown): void => {
      acknowledge(error instanceof RpcError ? {} : undefined)
      if (current !== stream || signal.aborted) return
      current = undefined
      if (!(error instanceof RpcError)) void reopen()
    }
    const params = { notifications: filter, _meta: meta }
    requestResult(
      upstream.exchangeUnder(),
      { method: 'subscriptions/listen', params },
      { signal, notify, ...(auth && { auth }) },
    ).then(() => end(undefined), end)
    return stream
  }
  const acknowledgement = (): Promise<Filter | undefined> => current?.acknowledged ?? Promise.resolve(undefined)
  const reopen = async (): Promise<void> => {
    await interruptibleDelay(backoffMs(failures++, RETRY_DELAY), closing.signal)
    if (closing.signal.aborted || current || interests.size === 0) return
    await update()
    const accepted = await acknowledgement()
    // Notifications may have been lost.
    for (const message of possibleChanges(accepted ?? {})) deliver(message)
  }
  /** Opens a stream for what is wanted now, and closes the previous one when the new one is acknowledged. */
  const replaceStream = async (): Promise<void> => {
    const filter = uniteFilters([...interests].map((interest) => interest.filter))
    if (current && isSameFilter(current.filter, filter)) return
    const previous = current
    if (isEmptyFilter(filter)) {
      current = undefined
      previous?.controller.abort()
      return
    }
    const next = openStream(filter)
    current = next
    const accepted = await withTimeout(next.acknowledged)
    if (accepted) failures = 0
    previous?.controller.abort()
  }
  /** Applies the interests. Calls in the meantime are applied together. */
  const update = (): Promise<void> => {
    isOutdated = true
    updating ??= (async () => {
      await Promise.resolve()
      while (isOutdated && !closing.signal.aborted) {
        isOutdated = false
        await replaceStream()
      }
      updating = undefined
    })()
    return updating
  }

  return {
    async add(interest) {
      interests.add(interest)
      await update()
      const accepted = await withTimeout(acknowledgement())
      return accepted ? acceptedPart(interest.filter, accepted) : interest.filter
    },
    remove(interest) {
      if (!interests.delete(interest)) return
      if (interests.size === 0) onUnused()
      void update()
    },
    close() {
      closing.abort()
      interests.clear()
    },
  }
}

/** Returns a notification for everything that a filter accepts. */
function possibleChanges(filter: Filter): Notification[] {
  const lists = Object.keys(filter).filter((key) => key in LIST_CHANGES)
  const uris = filter.resourceSubscriptions ?? []
  return [
    ...lists.map((list) => notification(LIST_CHANGES[list as ListChange])),
    ...uris.map((uri) => notification(RESOURCE_UPDATED, { uri })),
  ]
}

function withTimeout<T>(promise: Promise<T>): Promise<T | undefined> {
  return Promise.race([promise, interruptibleDelay(ACKNOWLEDGE_TIMEOUT_MS, new AbortController().signal).then(() => undefined)])
}

function withoutSubscriptionId(params: JsonObject): JsonObject {
  if (!isObject(params._meta)) return params
  const { [MetaKey.subscriptionId]: _id, ...meta } = params._meta
  return { ...params, _meta: meta }
}
