import { BriefMap } from '../../../util/src/linked-set.ts'
import type { ExchangeContext } from '../jsonrpc/exchange.ts'
import { isObject, type JsonObject, type Notification } from '../jsonrpc/message.ts'
import { isLoggingLevel, MetaKey, severityOf } from './meta.ts'
import { LOGGING_LEVELS, type LoggingLevel } from './types.ts'

/** Routes the progress and log notifications of a shared connection to the requests that asked for them. */
export interface NotificationRouter {
  /** The most verbose log level of all open requests, or `undefined` if none asked for log messages. */
  readonly logLevel: LoggingLevel | undefined
  /** Registers a request that is about to be sent with these params. */
  register(params: JsonObject | undefined, notify: ExchangeContext['notify'], owner?: RouteOwner): RoutedRequest
  /**
   * Routes progress by its token. Routes a log message to the requests that asked for its level: to those of the owner, if it is known,
   * and otherwise to all, unless they belong to several principals. Returns whether it was such a notification.
   */
  route(notification: Notification, owner?: RouteOwner): boolean
}

/** Identifies a request by its context, and the principal that it belongs to. */
export type RouteOwner = Partial<Pick<ExchangeContext, 'auth'>>

/** An open request that may receive notifications. */
export interface RoutedRequest {
  /** The params to send. A progress token is replaced with one that is unique on the connection. */
  readonly params: JsonObject | undefined
  /** Stops the delivery. Call it when the request is over. */
  unregister(): void
}

interface Route {
  readonly notify: ExchangeContext['notify']
  readonly token: unknown
  readonly level: LoggingLevel | undefined
  readonly owner: RouteOwner | undefined
}

const noop = (): void => {}

export function createNotificationRouter(): NotificationRouter {
  const routes = new BriefMap<number, Route>()
  /** The number of open requests that asked for each level. */
  const wanted: number[] = LOGGING_LEVELS.map(() => 0)
  let lastKey = 0

  const routeProgress = (notification: Notification): void => {
    const { params = {} } = notification
    const route = routes.get(params.progressToken as number)
    if (route?.token !== undefined) void route.notify({ ...notification, params: { ...params, progressToken: route.token } })
  }
  const routeLog = (notification: Notification, owner: RouteOwner | undefined): void => {
    const severity = severityOf(notification.params?.level)
    const candidates = [...routes].map(([, route]) => route).filter((route) => route.level && (!owner || route.owner === owner))
    if (new Set(candidates.map((route) => route.owner?.auth?.principal)).size > 1) return
    for (const { level, notify } of candidates) if (severity >= severityOf(level)) void notify(notification)
  }

  return {
    get logLevel() {
      return LOGGING_LEVELS[wanted.findIndex((count) => count > 0)]
    },
    register(params, notify, owner) {
      const meta = isObject(params?._meta) ? params._meta : {}
      const requested = meta[MetaKey.logLevel]
      const level = isLoggingLevel(requested) ? requested : undefined
      const token = meta.progressToken ?? undefined
      if (token === undefined && !level) return { params, unregister: noop }
      const key = ++lastKey
      routes.set(key, { notify, token, level, owner })
      const count = (change: number): void => {
        if (level) wanted[severityOf(level)] = (wanted[severityOf(level)] ?? 0) + change
      }
      count(1)
      return {
        params: token === undefined ? params : { ...params, _meta: { ...meta, progressToken: key } },
        unregister() {
          if (routes.delete(key)) count(-1)
        },
      }
    },
    route(notification, owner) {
      if (notification.method === 'notifications/progress') routeProgress(notification)
      else if (notification.method === 'notifications/message') routeLog(notification, owner)
      else return false
      return true
    },
  }
}

/** Reports whether a notification is a log message that the request with these params has not asked for. */
export function isUnwantedLog({ method, params }: Notification, requestParams: JsonObject | undefined): boolean {
  if (method !== 'notifications/message') return false
  const meta = requestParams?._meta
  const level = isObject(meta) ? meta[MetaKey.logLevel] : undefined
  return !isLoggingLevel(level) || severityOf(params?.level) < severityOf(level)
}
