import type { Middleware } from '../jsonrpc/exchange.ts'
import type { Logger } from './logger.ts'
import type { LoggableEvent } from './records.ts'

/** Writes the events and the requests of a server or a gateway to a logger. */
export interface LoggerBinding<E extends LoggableEvent> {
  /** Logs an event, and passes it on to the listener of the user. */
  readonly onEvent: (event: E) => void
  /** Logs each request. It belongs around all other middleware. */
  readonly middleware: Middleware
}

/** Binds the option `logger`. The code that writes records is loaded only now, because many programs have no logger. */
export function bindLogger<E extends LoggableEvent>(logger: Logger, listener?: (event: E) => void): LoggerBinding<E> {
  const loading = import('./logging.ts').then(({ logging }) => logging({ logger }))
  return {
    onEvent(event) {
      void loading.then(({ onEvent }) => onEvent(event))
      listener?.(event)
    },
    async middleware(request, context, next) {
      const { middleware } = await loading
      return middleware(request, context, next)
    },
  }
}
