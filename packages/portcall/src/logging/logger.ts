/** The levels of log records, from the most to the least severe. */
export type LogLevel = 'error' | 'warn' | 'info' | 'debug'

/** The fields of a log record. */
export type LogFields = { readonly [field: string]: unknown }

/** A method of a logger for one level. Its arguments depend on the kind of logger. */
// biome-ignore lint/suspicious/noExplicitAny: the methods of pino, winston and the console have overloads that no other type accepts
type LogMethod = (...args: any[]) => unknown

/** A logger of pino, winston or another library, or `console`. */
export interface Logger {
  /** Writes a record of the level `error`. */
  readonly error: LogMethod
  /** Writes a record of the level `warn`. */
  readonly warn: LogMethod
  /** Writes a record of the level `info`. */
  readonly info: LogMethod
  /** Writes a record of the level `debug`. */
  readonly debug: LogMethod
}

/**
 * How a logger takes the message and the fields of a record. `pino`: the fields first. `winston`: the message first, the fields merged into the
 * record. `console`: the message first.
 */
export type LoggerShape = 'pino' | 'winston' | 'console'

/** Writes a record. */
export type WriteLog = (level: LogLevel, message: string, fields: LogFields) => void

/** Returns how a logger takes its arguments. Loggers that look like neither pino nor winston are treated like the console. */
export function shapeOf(logger: Logger): LoggerShape {
  if ('bindings' in logger && typeof logger.bindings === 'function') return 'pino'
  if ('transports' in logger && 'format' in logger) return 'winston'
  return 'console'
}

/** Creates the function that writes records to a logger. What the logger throws is ignored, so that it cannot fail a request. */
export function createLogWriter(logger: Logger, shape: LoggerShape = shapeOf(logger)): WriteLog {
  return (level, message, fields) => {
    try {
      if (shape === 'pino') logger[level](fields, message)
      else logger[level](message, fields)
    } catch {}
  }
}
