import { deriveContext, type ExchangeContext, type Middleware } from '../jsonrpc/exchange.ts'
import { isSuccess, type Request, type Response } from '../jsonrpc/message.ts'
import { sha256 } from '../util/digest.ts'
import { setLru } from '../util/lru.ts'
import { createLogWriter, type LogFields, type Logger, type LoggerShape, type LogLevel } from './logger.ts'
import { metaOf, type Outcome, operationOf, originOf, outcomeOf, thrownOutcome } from './operation.ts'
import { type LoggableEvent, type RemoveSecrets, recordOfEvent, redactRecord } from './records.ts'
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
const SESSION_HASH_LENGTH = 12

/**
 * Turns events and requests into log records.
 *
 * @example
 * const logs = logging({ logger: pino() })
 * const server = createServer(info, { onEvent: logs.onEvent })
 * server.use(logs.middleware)
 */
export function logging({ logger, shape, redact = redactSecrets() }: LoggingOptions): Logging {
  const write = createLogWriter(logger, shape)
  /** The ids of requests that failed, by the reference of the error. */
  const failures = new Map<string, Promise<LogFields>>()

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
      const log = (outcome: Outcome, response?: Response): void =>
        void describe({ request, context, outcome, response }, redact).then(({ level, message, fields }) =>
          write(level, message, { ...fields, durationMs: Math.round(performance.now() - startedAt) }),
        )
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

interface EndedRequest {
  readonly request: Request
  readonly context: ExchangeContext
  readonly outcome: Outcome
  readonly response: Response | undefined
}

/** Returns the record of a request that has ended. */
async function describe(
  { request, context, outcome, response }: EndedRequest,
  redact: RemoveSecrets,
): Promise<ReturnType<typeof redactRecord>> {
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
    ...(await identify(request, context)),
  }
  return redactRecord({ level, message: `${method}${target === undefined ? '' : ` ${target}`}: ${ending}`, fields }, redact)
}

/** Returns the ids of a request. That of the session is hashed, because whoever knows it may be able to use the session. */
async function identify(request: Request, context: ExchangeContext): Promise<LogFields> {
  const { sessionId } = originOf(metaOf(request), context)
  return {
    requestId: request.id,
    ...(sessionId !== undefined && { sessionId: (await sha256(sessionId)).slice(0, SESSION_HASH_LENGTH) }),
    ...(context.auth && { user: context.auth.principal }),
    ...traceOf(request),
  }
}
