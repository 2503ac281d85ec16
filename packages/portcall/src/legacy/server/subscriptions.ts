import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts'
import type { Auth, Exchange, ExchangeContext, HttpInfo } from '../../jsonrpc/exchange.ts'
import { type ErrorBody, isObject, isSuccess, type JsonObject, type Notification, notification } from '../../jsonrpc/message.ts'
import { invalidParams, resourceNotFound } from '../../protocol/errors.ts'
import { LIST_CHANGES } from '../../protocol/methods.ts'

const MAX_SUBSCRIPTIONS = 1024
/** Replaces the headers of a request that has ended: a subscription outlives the request that created it. */
const NO_HEADERS: HttpInfo = { header: () => undefined }
const ALL_LISTS = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }

/** The client that subscribes, according to its request. */
export type Subscriber = Pick<ExchangeContext, 'auth' | 'http'>

/** The changes that a legacy client is notified of: all list changes once it listens, and the resources that it subscribed to. */
export interface LegacySubscriptions {
  /** Starts to report list changes, and changes of the resources that were subscribed to before. Later calls do nothing. */
  listen(uris: readonly string[]): void
  /** From `listen` until the core has acknowledged all subscriptions: a promise of that. Changes before it are not reported. */
  readonly acknowledged: Promise<unknown> | undefined
  /** @throws RpcError when the resource does not exist, the client lacks scopes for it, or there are too many subscriptions. */
  subscribe(uri: string, subscriber: Subscriber): Promise<void>
  unsubscribe(uri: string): void
  /** Replaces the subscribed resources, as far as the core accepts them. Resolves when it has. Does nothing unless it listens. */
  sync(uris: readonly string[]): Promise<unknown> | undefined
  /** Reports everything that is subscribed to as changed. Does nothing unless it listens. */
  notifyAll(): Promise<void>
  /** Stops reporting changes until `listen` is called again. */
  stopListening(): void
  /** Stops reporting changes for good. */
  close(): void
}

/** Returns the subscriptions of a session with one more. @throws RpcError when there are too many. */
export function addSubscription(uris: readonly string[], uri: string): string[] {
  if (uris.includes(uri)) return [...uris]
  if (uris.length >= MAX_SUBSCRIPTIONS) throw tooManySubscriptions()
  return [...uris, uri]
}

function tooManySubscriptions(): RpcError {
  return invalidParams(`a session can have at most ${MAX_SUBSCRIPTIONS} subscriptions`)
}

export interface LegacySubscriptionsOptions {
  readonly core: Exchange
  /** Returns the `_meta` of a request of this session. */
  readonly requestMeta: () => JsonObject
  readonly onChange: (notification: Notification) => void | Promise<void>
  readonly auth: Auth | undefined
  readonly http?: HttpInfo | undefined
  /**
   * True if `subscribe` only checks access to a resource, and changes are reported after `listen`. Default: changes are reported from
   * `subscribe` on.
   */
  readonly onlyWhileListening?: boolean
}

/** Opens one `subscriptions/listen` on the core for the lists, and one for each resource, because a filter cannot be changed. */
export function createLegacySubscriptions(options: LegacySubscriptionsOptions): LegacySubscriptions {
  const resources = new Map<string, CoreSubscription>()
  let lists: CoreSubscription | undefined
  let acknowledged: Promise<unknown> | undefined
  let closed = false

  const openResource = (uri: string, { auth, http }: Subscriber = options): CoreSubscription => {
    const subscriber = { auth, http: http && NO_HEADERS }
    const subscription = openSubscription({ ...options, ...subscriber }, { resourceSubscriptions: [uri] })
    resources.set(uri, subscription)
    return subscription
  }

  const stopListening = (): void => {
    lists?.close()
    lists = undefined
    for (const subscription of resources.values()) subscription.close()
    resources.clear()
  }

  return {
    listen(uris) {
      if (lists || closed) return
      lists = openSubscription(options, ALL_LISTS)
      const added = uris.filter((uri) => !resources.has(uri)).map((uri) => openResource(uri))
      acknowledged = Promise.all([lists, ...added].map(({ outcome }) => outcome)).finally(() => (acknowledged = undefined))
    },
    get acknowledged() {
      return acknowledged
    },
    async subscribe(uri, subscriber) {
      if (closed) return
      const existing = resources.get(uri)
      if (!existing && resources.size >= MAX_SUBSCRIPTIONS) throw tooManySubscriptions()
      const { accepted, error } = await (existing ?? openResource(uri, subscriber)).outcome
      const isAccepted = Array.isArray(accepted?.resourceSubscriptions)
      if (!isAccepted || (options.onlyWhileListening && !lists)) this.unsubscribe(uri)
      if (isAccepted) return
      throw error?.code === ErrorCode.invalidRequest ? new RpcError(error.code, error.message, error.data) : resourceNotFound(uri)
    },
    unsubscribe(uri) {
      resources.get(uri)?.close()
      resources.delete(uri)
    },
    sync(uris) {
      if (!lists) return
      for (const uri of [...resources.keys()]) if (!uris.includes(uri)) this.unsubscribe(uri)
      // Waits for those of concurrent calls too: each caller reports that its own is in effect.
      return Promise.all(uris.map((uri) => (resources.get(uri) ?? openResource(uri)).outcome))
    },
    async notifyAll() {
      const accepted = (await lists?.outcome)?.accepted ?? {}
      const changes = Object.entries(LIST_CHANGES).filter(([list]) => accepted[list] === true)
      for (const [, method] of changes) void options.onChange(notification(method))
      for (const uri of resources.keys()) void options.onChange(notification('notifications/resources/updated', { uri }))
    },
    stopListening,
    close() {
      closed = true
      stopListening()
    },
  }
}

/** How the core responded to a subscription. */
interface SubscriptionOutcome {
  /** The filter that the core accepted; absent if it rejected the subscription. */
  readonly accepted?: JsonObject
  readonly error?: ErrorBody
}

/** An open `subscriptions/listen` request. */
interface CoreSubscription {
  readonly outcome: Promise<SubscriptionOutcome>
  close(): void
}

let lastId = 0

function openSubscription(
  { core, requestMeta, onChange, auth, http }: LegacySubscriptionsOptions,
  filter: JsonObject,
): CoreSubscription {
  const controller = new AbortController()
  let settle!: (outcome: SubscriptionOutcome) => void
  const outcome = new Promise<SubscriptionOutcome>((resolve) => {
    settle = resolve
  })
  const notify = (message: Notification): void | Promise<void> => {
    if (message.method !== 'notifications/subscriptions/acknowledged') return onChange(message)
    const accepted = message.params?.notifications
    settle({ accepted: isObject(accepted) ? accepted : {} })
  }
  const params = { _meta: requestMeta(), notifications: filter }
  const request = { jsonrpc: '2.0' as const, id: `listen-${++lastId}`, method: 'subscriptions/listen', params }
  core(request, { signal: controller.signal, notify, auth, http }).then(
    (response) => settle(isSuccess(response) ? { accepted: {} } : response),
    () => settle({}),
  )
  return { outcome, close: () => controller.abort() }
}
