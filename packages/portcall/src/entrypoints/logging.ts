/** Structured logs with pino, winston, the console or another logger. @module */

export type { Middleware } from '../jsonrpc/exchange.ts'
export type { Logger, LoggerShape } from '../telemetry/logging/logger.ts'
export { type Logging, type LoggingOptions, logging } from '../telemetry/logging/logging.ts'
export type { LoggableEvent } from '../telemetry/logging/records.ts'
