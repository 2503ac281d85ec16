import { ErrorCode, RpcError } from '../jsonrpc/errors.ts'
import type { Auth, Exchange, ExchangeContext, HttpInfo } from '../jsonrpc/exchange.ts'
import { type ErrorBody, isObject, isSuccess, type JsonObject, type Notification, notification } from '../jsonrpc/message.ts'
import { invalidParams, resourceNotFound } from '../protocol/errors.ts'
import { LIST_CHANGES } from '../protocol/methods.ts'

const MAX_SUBSCRIPTIONS = 1024
/** Stands for a request that is over: a subscription outlives the one that made it. */
const NO_HEADERS: HttpInfo = { header: () => undefined }
const ALL_LISTS = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }

/** Who subscribes, as the request says that does it. */
export type Subscriber = Pick<ExchangeContext, 'auth' | 'http'>

/** What a legacy client hears of: all list changes from some moment on, and the resources that it subscribed to. */
export interface LegacySubscriptions {
  /** Starts to tell of list changes, and of the resources that were subscribed to before; later calls do nothing. */
  listen(uris: readonly string[]): void
  /** There from `listen` until the core has said what it will tell of: a change before that would go unheard. */
  readonly opening: Promise<unknown> | undefined
  /** @throws RpcError when the resource does not exist, when the caller lacks scopes for it, or when there are too many. */
  subscribe(uri: string, caller: Subscriber): Promise<void>
  unsubscribe(uri: string): void
  /** Subscribes to exactly these resources, as far as the core honours them; does nothing unless it listens. */
  follow(uris: readonly string[]): Promise<unknown> | undefined
  /** Tells of all that it watches as if it had changed: nobody listened for a while. Does nothing unless it listens. */
  missed(): Promise<void>
  /** Tells of nothing until it listens again. */
  rest(): void
  /** Tells of nothing any more. */
  close(): void
}

/** The subscriptions of a session with one more. @throws RpcError when there are too many. */
export function withUri(uris: readonly string[], uri: string): string[] {
  if (uris.includes(uri)) return [...uris]
  if (uris.length >= MAX_SUBSCRIPTIONS) throw tooMany()
  return [...uris, uri]
}

function tooMany(): RpcError {
  return invalidParams(`a session has at most ${MAX_SUBSCRIPTIONS} subscriptions`)
}

export interface LegacySubscriptionsOptions {
  readonly core: Exchange
  /** The `_meta` of a request of this session. */
  readonly envelope: () => JsonObject
  readonly onChange: (notification: Notification) => void | Promise<void>
  readonly auth: Auth | undefined
  readonly http?: HttpInfo | undefined
  /** Subscribing finds out whether a resource may be watched, and watches it only after `listen`. Default: it watches at once. */
  readonly onlyWhileListening?: boolean
}

/** Keeps one `subscriptions/listen` on the core for the lists, and one for each resource: filters are fixed for their whole life. */
export function createLegacySubscriptions(options: LegacySubscriptionsOptions): LegacySubscriptions {
  const resources = new Map<string, Watch>()
  let lists: Watch | undefined
  let opening: Promise<unknown> | undefined
  let closed = false

  const watchResource = (uri: string, { auth, http }: Subscriber = options): Watch => {
    const caller = { auth, http: http && NO_HEADERS }
    const watch = openWatch({ ...options, ...caller }, { resourceSubscriptions: [uri] })
    resources.set(uri, watch)
    return watch
  }

  const rest = (): void => {
    lists?.close()
    lists = undefined
    for (const watch of resources.values()) watch.close()
    resources.clear()
  }

  return {
    listen(uris) {
      if (lists || closed) return
      lists = openWatch(options, ALL_LISTS)
      const watches = uris.filter((uri) => !resources.has(uri)).map((uri) => watchResource(uri))
      opening = Promise.all([lists, ...watches].map(({ outcome }) => outcome)).finally(() => (opening = undefined))
    },
    get opening() {
      return opening
    },
    async subscribe(uri, caller) {
      if (resources.has(uri) || closed) return
      if (resources.size >= MAX_SUBSCRIPTIONS) throw tooMany()
      const { honoured, error } = await watchResource(uri, caller).outcome
      const mayWatch = Array.isArray(honoured?.resourceSubscriptions)
      if (!mayWatch || (options.onlyWhileListening && !lists)) this.unsubscribe(uri)
      if (mayWatch) return
      throw error?.code === ErrorCode.invalidRequest ? new RpcError(error.code, error.message, error.data) : resourceNotFound(uri)
    },
    unsubscribe(uri) {
      resources.get(uri)?.close()
      resources.delete(uri)
    },
    follow(uris) {
      if (!lists) return
      for (const uri of [...resources.keys()]) if (!uris.includes(uri)) this.unsubscribe(uri)
      const added = uris.filter((uri) => !resources.has(uri)).map((uri) => watchResource(uri).outcome)
      return Promise.all(added)
    },
    async missed() {
      const honoured = (await lists?.outcome)?.honoured ?? {}
      const changes = Object.entries(LIST_CHANGES).filter(([list]) => honoured[list] === true)
      for (const [, method] of changes) void options.onChange(notification(method))
      for (const uri of resources.keys()) void options.onChange(notification('notifications/resources/updated', { uri }))
    },
    rest,
    close() {
      closed = true
      rest()
    },
  }
}

interface Outcome {
  /** The filter that the core honours; nothing when it refuses. */
  readonly honoured?: JsonObject
  /** Why it refuses. */
  readonly error?: ErrorBody
}

interface Watch {
  readonly outcome: Promise<Outcome>
  close(): void
}

let opened = 0

function openWatch({ core, envelope, onChange, auth, http }: LegacySubscriptionsOptions, filter: JsonObject): Watch {
  const controller = new AbortController()
  let acknowledge!: (outcome: Outcome) => void
  const outcome = new Promise<Outcome>((resolve) => {
    acknowledge = resolve
  })
  const notify = (notification: Notification): void | Promise<void> => {
    if (notification.method !== 'notifications/subscriptions/acknowledged') return onChange(notification)
    const granted = notification.params?.notifications
    acknowledge({ honoured: isObject(granted) ? granted : {} })
  }
  const params = { _meta: envelope(), notifications: filter }
  const request = { jsonrpc: '2.0' as const, id: `watch-${++opened}`, method: 'subscriptions/listen', params }
  core(request, { signal: controller.signal, notify, auth, http }).then(
    (response) => acknowledge(isSuccess(response) ? { honoured: {} } : response),
    () => acknowledge({}),
  )
  return { outcome, close: () => controller.abort() }
}
