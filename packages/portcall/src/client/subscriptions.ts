import { backoffMs } from '../../../util/src/backoff.ts'
import { delay } from '../../../util/src/timers.ts'
import { isObject, type Notification } from '../jsonrpc/message.ts'
import { retryDelayOf } from '../jsonrpc/retryable.ts'
import { LIST_CHANGES, type ListChange } from '../protocol/methods.ts'
import type { SubscriptionFilter } from '../protocol/types.ts'
import { TimeoutError } from './errors.ts'
import type { ClientEvent } from './options.ts'
import type { Requester } from './requester.ts'

/** A change on the server. After a disconnect, each kind of the filter is delivered once, because changes may have been missed. */
export type Change =
  | {
      /** The list that changed. List it again. */
      readonly type: 'tools' | 'prompts' | 'resources'
    }
  | {
      /** The content of one resource changed. Read it again. */
      readonly type: 'resource'
      /** The URI of the resource. */
      readonly uri: string
    }

/** Iterates over changes. Resubscribes after a disconnect, until it is closed. */
export interface Subscription extends AsyncIterable<Change>, AsyncDisposable {
  /** The filter that the server acknowledged: the kinds of changes it will report. */
  readonly acknowledged: Promise<SubscriptionFilter>
  /** Ends the subscription. Iteration ends, too. */
  close(): void
}

/** The open subscriptions of a client. */
export interface SubscriptionManager {
  /** Opens a subscription. `onNotification` receives the notifications that are no changes of the core, plus each acknowledgement. */
  subscribe(filter: SubscriptionFilter, onNotification?: (notification: Notification) => void): Subscription
  closeAll(): void
}

export interface SubscriptionManagerOptions {
  readonly requester: Requester
  /** Called for each change, before it is delivered. */
  readonly onChange: (change: Change) => void
  readonly onEvent: (event: ClientEvent) => void
}

export function createSubscriptionManager(options: SubscriptionManagerOptions): SubscriptionManager {
  const subscriptions = new Set<Subscription>()
  return {
    subscribe(filter, onNotification) {
      const onEnd = (): void => void subscriptions.delete(subscription)
      const subscription = createSubscription(filter, { ...options, onEnd, ...(onNotification && { onNotification }) })
      subscriptions.add(subscription)
      return subscription
    },
    closeAll() {
      for (const subscription of subscriptions) subscription.close()
    },
  }
}

interface SubscriptionOptions extends SubscriptionManagerOptions {
  readonly onEnd: () => void
  readonly onNotification?: (notification: Notification) => void
}

const TYPES: { readonly [list in ListChange]: 'tools' | 'prompts' | 'resources' } = {
  toolsListChanged: 'tools',
  promptsListChanged: 'prompts',
  resourcesListChanged: 'resources',
}
const CHANGES = new Map<string, Change>(
  Object.entries(LIST_CHANGES).map(([list, method]) => [method, { type: TYPES[list as ListChange] }]),
)

/** Subscribes until closed. Iterating throws `RpcError` when the server rejects the subscription. */
function createSubscription(filter: SubscriptionFilter, options: SubscriptionOptions): Subscription {
  const { requester, onChange, onEvent, onEnd } = options
  const controller = new AbortController()
  let possibleChanges = changesOf(filter)
  const queue = createChangeQueue(() => possibleChanges)
  const { promise: acknowledged, resolve, reject } = createAcknowledgement()
  let acknowledgements = 0

  const deliver = (change: Change): void => {
    onChange(change)
    queue.add(change)
  }
  const onNotification = (notification: Notification): void => {
    const { method, params = {} } = notification
    if (method === 'notifications/subscriptions/acknowledged') {
      const granted = (isObject(params.notifications) ? params.notifications : {}) as SubscriptionFilter
      resolve(granted)
      options.onNotification?.(notification)
      possibleChanges = changesOf(granted)
      if (acknowledgements++ === 0) return
      onEvent({ type: 'reconnected' })
      for (const change of possibleChanges) deliver(change)
    } else if (method === 'notifications/resources/updated' && typeof params.uri === 'string')
      deliver({ type: 'resource', uri: params.uri })
    else if (CHANGES.has(method)) deliver(CHANGES.get(method) as Change)
    else options.onNotification?.(notification)
  }

  const run = async (): Promise<void> => {
    let failures = 0
    while (!controller.signal.aborted) {
      const before = acknowledgements
      const error = await requester
        .request('subscriptions/listen', { notifications: filter }, { signal: controller.signal, onNotification })
        .then(
          () => undefined,
          (reason: unknown) => reason,
        )
      if (controller.signal.aborted) return
      if (isFinal(error)) throw error
      failures = acknowledgements > before ? 0 : failures + 1
      onEvent({ type: 'disconnected', error })
      await delay(backoffMs(failures, RESUBSCRIBE_DELAY), controller.signal).catch(() => {})
    }
  }
  const end = (error?: unknown): void => {
    reject(error ?? new Error('The subscription was closed'))
    queue.end(error)
    onEnd()
  }
  run().then(() => end(), end)

  const close = (): void => {
    controller.abort()
    queue.end()
  }
  return {
    acknowledged,
    close,
    [Symbol.asyncIterator]: () => queue.changes(close),
    [Symbol.asyncDispose]: async () => close(),
  }
}

const RESUBSCRIBE_DELAY = { firstMs: 250, maxMs: 30_000 }

/** Reports whether a retry is pointless: the server rejected the request, the client is closed, or the program is wrong. */
function isFinal(error: unknown): boolean {
  return error !== undefined && retryDelayOf(error) === undefined && !(error instanceof TimeoutError)
}

function changesOf(filter: SubscriptionFilter): Change[] {
  const lists = Object.entries(TYPES).filter(([list]) => filter[list] === true)
  const uris = filter.resourceSubscriptions ?? []
  return [...lists.map(([, type]): Change => ({ type })), ...uris.map((uri): Change => ({ type: 'resource', uri }))]
}

function createAcknowledgement(): {
  promise: Promise<SubscriptionFilter>
  resolve(filter: SubscriptionFilter): void
  reject(error: unknown): void
} {
  let resolve!: (filter: SubscriptionFilter) => void
  let reject!: (error: unknown) => void
  const promise = new Promise<SubscriptionFilter>((...settle) => {
    ;[resolve, reject] = settle
  })
  promise.catch(() => {})
  return { promise, resolve, reject }
}

/** The changes that have not been read yet. */
interface ChangeQueue {
  /** Adds a change, unless the queue contains it already. */
  add(change: Change): void
  end(error?: unknown): void
  changes(onReturn: () => void): AsyncIterator<Change>
}

const MAX_QUEUED = 1000

/** Creates a queue without duplicates. When it grows too long, it is replaced by one change of each possible kind. */
function createChangeQueue(possibleChanges: () => readonly Change[]): ChangeQueue {
  const queue = new Map<string, Change>()
  const enqueue = (change: Change): void => void queue.set(JSON.stringify(change), change)
  let wake: (() => void) | undefined
  let end: { error?: unknown } | undefined

  return {
    add(change) {
      enqueue(change)
      const possible = possibleChanges()
      if (queue.size > MAX_QUEUED + possible.length) {
        queue.clear()
        for (const each of possible) enqueue(each)
      }
      wake?.()
    },
    end(error) {
      end ??= error === undefined ? {} : { error }
      wake?.()
    },
    async *changes(onReturn) {
      try {
        while (true) {
          for (const [key, change] of queue) {
            queue.delete(key)
            yield change
          }
          if (queue.size > 0) continue
          if (end?.error !== undefined) throw end.error
          if (end) return
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
      } finally {
        onReturn()
      }
    },
  }
}
