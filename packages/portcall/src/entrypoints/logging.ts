/** Structured logs with pino, winston, the console or another logger. @module */

export type { Middleware } from '../jsonrpc/exchange.ts'
export type { Logger, LoggerShape } from '../logging/logger.ts'
export { type Logging, type LoggingOptions, logging } from '../logging/logging.ts'
export type { LoggableEvent } from '../logging/records.ts'
