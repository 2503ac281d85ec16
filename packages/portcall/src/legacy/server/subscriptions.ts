import { type AbortListener, LazyAbort } from '../../../../util/src/abort.ts'
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
  return new SessionSubscriptions(options)
}

/** A class because there is one instance for each session. */
class SessionSubscriptions implements LegacySubscriptions {
  readonly #options: LegacySubscriptionsOptions
  /** Created for the first resource: few sessions subscribe to one. */
  #resources: Map<string, CoreSubscription> | undefined
  #lists: CoreSubscription | undefined
  #acknowledged: Promise<unknown> | undefined
  #closed = false

  constructor(options: LegacySubscriptionsOptions) {
    this.#options = options
  }

  get acknowledged(): Promise<unknown> | undefined {
    return this.#acknowledged
  }

  listen(uris: readonly string[]): void {
    if (this.#lists || this.#closed) return
    this.#lists = new CoreSubscription(this.#options, ALL_LISTS)
    const added = uris.filter((uri) => !this.#resources?.has(uri)).map((uri) => this.#openResource(uri))
    this.#acknowledged = Promise.all([this.#lists, ...added].map(({ outcome }) => outcome)).finally(
      () => (this.#acknowledged = undefined),
    )
  }

  async subscribe(uri: string, subscriber: Subscriber): Promise<void> {
    if (this.#closed) return
    const existing = this.#resources?.get(uri)
    if (!existing && this.#uris().length >= MAX_SUBSCRIPTIONS) throw tooManySubscriptions()
    const { accepted, error } = await (existing ?? this.#openResource(uri, subscriber)).outcome
    const isAccepted = Array.isArray(accepted?.resourceSubscriptions)
    if (!isAccepted || (this.#options.onlyWhileListening && !this.#lists)) this.unsubscribe(uri)
    if (isAccepted) return
    throw error?.code === ErrorCode.invalidRequest ? new RpcError(error.code, error.message, error.data) : resourceNotFound(uri)
  }

  unsubscribe(uri: string): void {
    this.#resources?.get(uri)?.close()
    this.#resources?.delete(uri)
  }

  sync(uris: readonly string[]): Promise<unknown> | undefined {
    if (!this.#lists) return
    for (const uri of this.#uris()) if (!uris.includes(uri)) this.unsubscribe(uri)
    // Waits for those of concurrent calls too: each caller reports that its own is in effect.
    return Promise.all(uris.map((uri) => (this.#resources?.get(uri) ?? this.#openResource(uri)).outcome))
  }

  async notifyAll(): Promise<void> {
    const { onChange } = this.#options
    const accepted = (await this.#lists?.outcome)?.accepted ?? {}
    const changes = Object.entries(LIST_CHANGES).filter(([list]) => accepted[list] === true)
    for (const [, method] of changes) void onChange(notification(method))
    for (const uri of this.#uris()) void onChange(notification('notifications/resources/updated', { uri }))
  }

  stopListening(): void {
    this.#lists?.close()
    this.#lists = undefined
    for (const uri of this.#uris()) this.unsubscribe(uri)
  }

  close(): void {
    this.#closed = true
    this.stopListening()
  }

  #uris(): string[] {
    return [...(this.#resources?.keys() ?? [])]
  }

  #openResource(uri: string, { auth, http }: Subscriber = this.#options): CoreSubscription {
    const subscriber = { auth, http: http && NO_HEADERS }
    const subscription = new CoreSubscription({ ...this.#options, ...subscriber }, { resourceSubscriptions: [uri] })
    this.#resources ??= new Map()
    this.#resources.set(uri, subscription)
    return subscription
  }
}

/** How the core responded to a subscription. */
interface SubscriptionOutcome {
  /** The filter that the core accepted; absent if it rejected the subscription. */
  readonly accepted?: JsonObject
  readonly error?: ErrorBody
}

let lastId = 0

/** An open `subscriptions/listen` request, and its context. */
class CoreSubscription implements ExchangeContext {
  readonly outcome: Promise<SubscriptionOutcome>
  readonly auth: Auth | undefined
  readonly http: HttpInfo | undefined
  readonly #abort = new LazyAbort()
  readonly #onChange: LegacySubscriptionsOptions['onChange']
  #settle!: (outcome: SubscriptionOutcome) => void

  constructor({ core, requestMeta, onChange, auth, http }: LegacySubscriptionsOptions, filter: JsonObject) {
    this.auth = auth
    this.http = http
    this.#onChange = onChange
    this.outcome = new Promise((resolve) => {
      this.#settle = resolve
    })
    const params = { _meta: requestMeta(), notifications: filter }
    const request = { jsonrpc: '2.0' as const, id: `listen-${++lastId}`, method: 'subscriptions/listen', params }
    core(request, this).then(
      (response) => this.#settle(isSuccess(response) ? { accepted: {} } : response),
      () => this.#settle({}),
    )
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  onAbort(listener: AbortListener): () => void {
    return this.#abort.onAbort(listener)
  }

  readonly notify = (message: Notification): void | Promise<void> => {
    if (message.method !== 'notifications/subscriptions/acknowledged') return this.#onChange(message)
    const accepted = message.params?.notifications
    this.#settle({ accepted: isObject(accepted) ? accepted : {} })
  }

  close(): void {
    this.#abort.abort()
  }
}
