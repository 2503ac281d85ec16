import { RpcError } from '../jsonrpc/errors.ts'
import { isObject, type Notification } from '../jsonrpc/message.ts'
import { pause } from '../jsonrpc/waiting.ts'
import { LIST_CHANGES, type ListChange } from '../protocol/methods.ts'
import type { SubscriptionFilter } from '../protocol/types.ts'
import { backoffMs } from './backoff.ts'
import type { Caller } from './call.ts'
import type { ClientEvent } from './options.ts'

/** Something that changed on the server. After a gap each kind that is listened for comes once, for anything may have changed. */
export type Change = { readonly type: 'tools' | 'prompts' | 'resources' } | { readonly type: 'resource'; readonly uri: string }

/** Changes as they come. It comes back by itself when the connection is lost, for as long as it is not closed. */
export interface Subscription extends AsyncIterable<Change>, AsyncDisposable {
  /** What the server agreed to tell of. */
  readonly honoured: Promise<SubscriptionFilter>
  close(): void
}

export interface SubscribeOptions {
  readonly caller: Caller
  /** Hears of each change before it is delivered. */
  readonly onChange: (change: Change) => void
  readonly onEvent: (event: ClientEvent) => void
  readonly onEnd: () => void
  /** Hears what is no change of the core, and each acknowledgement: from the second on, something may have been missed. */
  readonly onOther?: (notification: Notification) => void
}

const TYPES: { readonly [list in ListChange]: 'tools' | 'prompts' | 'resources' } = {
  toolsListChanged: 'tools',
  promptsListChanged: 'prompts',
  resourcesListChanged: 'resources',
}
const CHANGES = new Map<string, Change>(
  Object.entries(LIST_CHANGES).map(([list, method]) => [method, { type: TYPES[list as ListChange] }]),
)

/** Listens until it is closed. @throws RpcError, while iterating, when the server refuses. */
export function subscribe(filter: SubscriptionFilter, options: SubscribeOptions): Subscription {
  const { caller, onChange, onEvent, onEnd } = options
  const controller = new AbortController()
  let all = everything(filter)
  const inbox = createInbox(() => all)
  const { promise: honoured, resolve, reject } = acknowledgement()
  let acknowledged = 0

  const deliver = (change: Change): void => {
    onChange(change)
    inbox.put(change)
  }
  const onNotification = (told: Notification): void => {
    const { method, params = {} } = told
    if (method === 'notifications/subscriptions/acknowledged') {
      const granted = (isObject(params.notifications) ? params.notifications : {}) as SubscriptionFilter
      resolve(granted)
      options.onOther?.(told)
      all = everything(granted)
      if (acknowledged++ === 0) return
      onEvent({ type: 'restored' })
      for (const change of all) deliver(change)
    } else if (method === 'notifications/resources/updated' && typeof params.uri === 'string')
      deliver({ type: 'resource', uri: params.uri })
    else if (CHANGES.has(method)) deliver(CHANGES.get(method) as Change)
    else options.onOther?.(told)
  }

  const listen = async (): Promise<void> => {
    let failures = 0
    while (!controller.signal.aborted) {
      const before = acknowledged
      const error = await caller
        .request('subscriptions/listen', { notifications: filter }, { signal: controller.signal, onNotification })
        .then(
          () => undefined,
          (reason: unknown) => reason,
        )
      if (controller.signal.aborted) return
      if (isFinal(error)) throw error
      failures = acknowledged > before ? 0 : failures + 1
      onEvent({ type: 'lost', error })
      await pause(backoffMs(failures), controller.signal).catch(() => {})
    }
  }
  const end = (error?: unknown): void => {
    reject(error ?? new Error('The subscription was closed'))
    inbox.end(error)
    onEnd()
  }
  listen().then(() => end(), end)

  const close = (): void => {
    controller.abort()
    inbox.end()
  }
  return {
    honoured,
    close,
    [Symbol.asyncIterator]: () => inbox.changes(close),
    [Symbol.asyncDispose]: async () => close(),
  }
}

/** Whether trying again cannot help: the server answered, and its answer is no; or the connection is closed for good. */
function isFinal(error: unknown): boolean {
  if (error instanceof RpcError) return true
  return isObject(error) && error.retryable === false
}

function everything(filter: SubscriptionFilter): Change[] {
  const lists = Object.entries(TYPES).filter(([list]) => filter[list] === true)
  const uris = filter.resourceSubscriptions ?? []
  return [...lists.map(([, type]): Change => ({ type })), ...uris.map((uri): Change => ({ type: 'resource', uri }))]
}

function acknowledgement(): {
  promise: Promise<SubscriptionFilter>
  resolve(filter: SubscriptionFilter): void
  reject(error: unknown): void
} {
  let resolve!: (filter: SubscriptionFilter) => void
  let reject!: (error: unknown) => void
  const promise = new Promise<SubscriptionFilter>((yes, no) => {
    resolve = yes
    reject = no
  })
  promise.catch(() => {})
  return { promise, resolve, reject }
}

interface Inbox {
  /** Puts a change in; one that waits there already is not put in twice. */
  put(change: Change): void
  end(error?: unknown): void
  changes(onReturn: () => void): AsyncIterator<Change>
}

const MAX_WAITING = 1000

/** Keeps changes until they are taken, each at most once; too many of them are one of each kind. */
function createInbox(everything: () => readonly Change[]): Inbox {
  const waiting = new Map<string, Change>()
  const keep = (change: Change): void => void waiting.set(JSON.stringify(change), change)
  let wake: (() => void) | undefined
  let end: { error?: unknown } | undefined

  return {
    put(change) {
      keep(change)
      const all = everything()
      if (waiting.size > MAX_WAITING + all.length) {
        waiting.clear()
        for (const one of all) keep(one)
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
          for (const [key, change] of waiting) {
            waiting.delete(key)
            yield change
          }
          if (waiting.size > 0) continue
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
