import type { ExchangeContext } from '../jsonrpc/exchange.ts'
import { isObject, type JsonObject, type Notification } from '../jsonrpc/message.ts'
import { isLoggingLevel, MetaKey } from './meta.ts'
import { LOGGING_LEVELS, type LoggingLevel } from './types.ts'

/** Routes the progress and log notifications of a shared connection to the requests that asked for them. */
export interface NotificationRouter {
  /** The most verbose log level of all open requests, or `undefined` if none asked for log messages. */
  readonly logLevel: LoggingLevel | undefined
  /** Registers a request that is about to be sent with these params. */
  register(params: JsonObject | undefined, notify: ExchangeContext['notify']): RoutedRequest
  /**
   * Routes progress by its token, and a log message to all requests that asked for its level. Returns whether it was such a notification.
   */
  route(notification: Notification): boolean
}

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
}

const noop = (): void => {}

export function createNotificationRouter(): NotificationRouter {
  const routes = new Map<number, Route>()
  let lastKey = 0
  let withLogLevel = 0

  const routeProgress = (notification: Notification): void => {
    const { params = {} } = notification
    const route = routes.get(params.progressToken as number)
    if (route?.token !== undefined) void route.notify({ ...notification, params: { ...params, progressToken: route.token } })
  }
  const routeLog = (notification: Notification): void => {
    const severity = severityOf(notification.params?.level)
    for (const { level, notify } of routes.values()) if (level && severity >= severityOf(level)) void notify(notification)
  }

  return {
    get logLevel() {
      if (withLogLevel === 0) return undefined
      const levels = [...routes.values()].flatMap(({ level }) => level ?? [])
      return levels.sort((one, other) => severityOf(one) - severityOf(other))[0]
    },
    register(params, notify) {
      const meta = isObject(params?._meta) ? params._meta : {}
      const requested = meta[MetaKey.logLevel]
      const level = isLoggingLevel(requested) ? requested : undefined
      const token = meta.progressToken ?? undefined
      if (token === undefined && !level) return { params, unregister: noop }
      const key = ++lastKey
      routes.set(key, { notify, token, level })
      if (level) withLogLevel++
      return {
        params: token === undefined ? params : { ...params, _meta: { ...meta, progressToken: key } },
        unregister() {
          if (routes.delete(key) && level) withLogLevel--
        },
      }
    },
    route(notification) {
      if (notification.method === 'notifications/progress') routeProgress(notification)
      else if (notification.method === 'notifications/message') routeLog(notification)
      else return false
      return true
    },
  }
}

/** Returns the rank of a log level. Unknown levels rank highest, so that their messages are always delivered. */
function severityOf(level: unknown): number {
  return isLoggingLevel(level) ? LOGGING_LEVELS.indexOf(level) : LOGGING_LEVELS.length
}
