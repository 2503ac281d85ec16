import { checkOptions, type OptionNames } from '../../../util/src/check-options.ts'
import { sha256 } from '../../../util/src/digest.ts'
import { setLru } from '../../../util/src/lru.ts'
import { deriveContext, type ExchangeContext, type Middleware } from '../jsonrpc/exchange.ts'
import { isSuccess, type Request, type Response } from '../jsonrpc/message.ts'
import { createLogWriter, type LogFields, type Logger, type LoggerShape, type LogLevel } from './logger.ts'
import { metaOf, type Outcome, operationOf, originOf, outcomeOf, thrownOutcome } from './operation.ts'
import { type LoggableEvent, type LogRecord, recordOfEvent, redactRecord } from './records.ts'
import { redactSecrets } from './redact.ts'
import { traceOf } from './request-traces.ts'

/** Options of `logging`. */
export interface LoggingOptions {
  /** Where records are written: a logger of pino or winston, `console`, or anything with their methods. */
  readonly logger: Logger
  /** How the logger takes its arguments. Default: it is detected; other loggers are treated like the console. */
  readonly shape?: LoggerShape
  /** Removes secrets from messages, errors and texts. Default: `redactSecrets()`. */
  readonly redact?: (value: unknown) => unknown
}

/** Writes events and requests to a logger. */
export interface Logging {
  /** Logs the events of a server, a client or a gateway. Pass it as `onEvent`. */
  readonly onEvent: (event: LoggableEvent) => void
  /** Logs each request with its outcome and its duration, and adds the ids of the request to errors: `server.use(logs.middleware)`. */
  readonly middleware: Middleware
}

/** Requests that are logged at `info`. Others, such as lists, are logged at `debug`. */
const CALLS: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read'])

const MAX_FAILURES = 1000
const MAX_SESSIONS = 1000
const SESSION_HASH_LENGTH = 12

const NAMES: OptionNames<LoggingOptions> = { logger: 'logger', shape: ['pino', 'winston', 'console'], redact: 'function' }
const REQUIRED = { logger: 'Pass a logger of pino or winston, or console' }

/**
 * Turns events and requests into log records.
 *
 * @example
 * const logs = logging({ logger: pino() })
 * const server = createServer(info, { onEvent: logs.onEvent })
 * server.use(logs.middleware)
 */
export function logging(options: LoggingOptions): Logging {
  checkOptions('logging()', options, { names: NAMES, required: REQUIRED })
  const { logger, shape, redact = redactSecrets() } = options
  const write = createLogWriter(logger, shape)
  /** The ids of requests that failed, by the reference of the error. */
  const failures = new Map<string, LogFields | Promise<LogFields>>()

  const onEvent = async (event: LoggableEvent): Promise<void> => {
    const { level, message, fields } = recordOfEvent(event, redact)
    // The request learns of its error right after this event.
    await Promise.resolve()
    const { reference } = fields
    const ids = typeof reference === 'string' ? await failures.get(reference) : undefined
    write(level, message, { ...fields, ...ids })
  }

  return {
    onEvent: (event) => void onEvent(event),
    async middleware(request, context, next) {
      const startedAt = performance.now()
      const noteFailure = (error: unknown, reference: string): void => {
        setLru(failures, [reference, identify(request, context)], MAX_FAILURES)
        context.onError?.(error, reference)
      }
      const log = (outcome: Outcome, response?: Response): void => {
        const durationMs = Math.round(performance.now() - startedAt)
        const writeWith = (ids: LogFields): void => {
          const { level, message, fields } = redactRecord(describe(request, { outcome, response, ids }), redact)
          write(level, message, { ...fields, durationMs })
        }
        const ids = identify(request, context)
        if (ids instanceof Promise) void ids.then(writeWith)
        else writeWith(ids)
      }
      try {
        const response = await next(request, deriveContext(context, { onError: noteFailure }))
        log(outcomeOf(response), response)
        return response
      } catch (error) {
        log(thrownOutcome(error))
        throw error
      }
    },
  }
}

interface RequestEnd {
  readonly outcome: Outcome
  readonly response: Response | undefined
  /** The ids of the request. */
  readonly ids: LogFields
}

/** Returns the record of a request that has ended. */
function describe(request: Request, { outcome, response, ids }: RequestEnd): LogRecord {
  const { method, kind, target } = operationOf(request)
  const { errorType, code, message: reason } = outcome
  const resultType = response && isSuccess(response) ? response.result.resultType : undefined
  const level: LogLevel = errorType !== undefined ? 'warn' : CALLS.has(method) ? 'info' : 'debug'
  const ending = errorType ?? (typeof resultType === 'string' ? resultType : 'complete')
  const fields = {
    event: 'request',
    method,
    ...(kind && { [kind]: target }),
    outcome: ending,
    ...(code !== undefined && { errorCode: code }),
    ...(reason !== undefined && { reason }),
    ...ids,
  }
  return { level, message: `${method}${target === undefined ? '' : ` ${target}`}: ${ending}`, fields }
}

/** Returns the ids of a request. That of the session is hashed, because whoever knows it may be able to use the session. */
function identify(request: Request, context: ExchangeContext): LogFields | Promise<LogFields> {
  const { sessionId } = originOf(metaOf(request), context)
  const idsWith = (sessionHash: string | undefined): LogFields => ({
    requestId: request.id,
    ...(sessionHash !== undefined && { sessionId: sessionHash }),
    ...(context.auth && { user: context.auth.principal }),
    ...traceOf(request),
  })
  const known = sessionId === undefined ? undefined : sessionHashes.get(sessionId)
  if (sessionId === undefined || known !== undefined) return idsWith(known)
  return hashSession(sessionId).then(idsWith)
}

/** The hashes of sessions that were logged lately. */
const sessionHashes = new Map<string, string>()

async function hashSession(sessionId: string): Promise<string> {
  const hash = (await sha256(sessionId)).slice(0, SESSION_HASH_LENGTH)
  setLru(sessionHashes, [sessionId, hash], MAX_SESSIONS)
  return hash
}
