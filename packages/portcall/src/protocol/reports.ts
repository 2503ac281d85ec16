import type { ExchangeContext } from '../jsonrpc/exchange.ts'
import { isObject, type JsonObject, type Notification } from '../jsonrpc/message.ts'
import { isLoggingLevel, MetaKey } from './meta.ts'
import { LOGGING_LEVELS, type LoggingLevel } from './types.ts'

/** Brings what a server reports while it works to those who asked for it, where all reports come over one connection. */
export interface Reports {
  /** The most verbose level that an open request wants; nothing when none wants any. */
  readonly level: LoggingLevel | undefined
  /** Enters a request that is about to be sent with these params. */
  enter(params: JsonObject | undefined, notify: ExchangeContext['notify']): Report
  /** Delivers progress by its token, and a log message to all who want its level. Tells whether it was a report. */
  deliver(notification: Notification): boolean
}

/** One request that may be reported about. */
export interface Report {
  /** Its params with a progress token of this connection, when it had one. */
  readonly params: JsonObject | undefined
  /** Nothing is delivered any more. */
  leave(): void
}

interface Listener {
  readonly notify: ExchangeContext['notify']
  readonly token: unknown
  readonly level: LoggingLevel | undefined
}

const nothing = (): void => {}

export function createReports(): Reports {
  const open = new Map<number, Listener>()
  let last = 0
  let wanting = 0

  const progress = (notification: Notification): void => {
    const { params = {} } = notification
    const listener = open.get(params.progressToken as number)
    if (listener?.token !== undefined)
      void listener.notify({ ...notification, params: { ...params, progressToken: listener.token } })
  }
  const log = (notification: Notification): void => {
    const gravity = gravityOf(notification.params?.level)
    for (const { level, notify } of open.values()) if (level && gravity >= gravityOf(level)) void notify(notification)
  }

  return {
    get level() {
      if (wanting === 0) return undefined
      const wanted = [...open.values()].flatMap(({ level }) => level ?? [])
      return wanted.sort((one, other) => gravityOf(one) - gravityOf(other))[0]
    },
    enter(params, notify) {
      const meta = isObject(params?._meta) ? params._meta : {}
      const { [MetaKey.logLevel]: given } = meta
      const level = isLoggingLevel(given) ? given : undefined
      const token = meta.progressToken ?? undefined
      if (token === undefined && !level) return { params, leave: nothing }
      const key = ++last
      open.set(key, { notify, token, level })
      if (level) wanting++
      return {
        params: token === undefined ? params : { ...params, _meta: { ...meta, progressToken: key } },
        leave() {
          if (open.delete(key) && level) wanting--
        },
      }
    },
    deliver(notification) {
      if (notification.method === 'notifications/progress') progress(notification)
      else if (notification.method === 'notifications/message') log(notification)
      else return false
      return true
    },
  }
}

/** Levels that nobody knows are as grave as can be: they are not held back. */
function gravityOf(level: unknown): number {
  return isLoggingLevel(level) ? LOGGING_LEVELS.indexOf(level) : LOGGING_LEVELS.length
}
