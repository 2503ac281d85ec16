import { isObject } from '../jsonrpc/message.ts'
import type { LogFields, LogLevel } from './logger.ts'

/** An event of a server, a client or a gateway. */
export interface LoggableEvent {
  /** The kind of event. */
  readonly type: string
}

/** A log record. */
export interface LogRecord {
  readonly level: LogLevel
  readonly message: string
  readonly fields: LogFields
}

/** Removes secrets from a value. */
export type RemoveSecrets = (value: unknown) => unknown

/** Turns an event of one type into a record, without `event`. The members of the event are checked as they are read. */
type ToRecord = (event: { readonly [member: string]: unknown }) => LogRecord

/** The level of log messages of MCP servers, which have the eight levels of RFC 5424. */
const SERVER_LEVELS: { readonly [level: string]: LogLevel } = {
  emergency: 'error',
  alert: 'error',
  critical: 'error',
  error: 'error',
  warning: 'warn',
  notice: 'info',
  info: 'info',
  debug: 'debug',
}
/** The level of each state of a server of a gateway. Other states are `debug`. */
const STATE_LEVELS: { readonly [state: string]: LogLevel } = { ready: 'info', failing: 'warn', disabled: 'info' }
/** The level of each outcome of a call through a gateway. Other outcomes are `info`. */
const OUTCOME_LEVELS: { readonly [outcome: string]: LogLevel } = {
  error: 'warn',
  unavailable: 'warn',
  denied: 'warn',
  'tool-error': 'warn',
}

const text = (value: unknown): string => (typeof value === 'string' ? value : String(value))

/** The events by type: of servers, clients and gateways. */
const EVENTS: { readonly [type: string]: ToRecord } = {
  error: ({ error, reference, method, name }) => ({
    level: 'error',
    message: `Internal error in ${`${text(method)} ${name === undefined ? '' : text(name)}`.trim()}`,
    fields: { reference, method, ...(name !== undefined && { target: name }), err: error },
  }),
  warning: ({ message, server }) => ({ level: 'warn', message: text(message), fields: server === undefined ? {} : { server } }),
  log: ({ level, logger, data }) => ({
    level: SERVER_LEVELS[text(level)] ?? 'info',
    message: typeof data === 'string' ? data : 'Log message of the server',
    fields: { ...(logger !== undefined && { logger }), ...(typeof data !== 'string' && { data }) },
  }),
  'unexpected-message': ({ kind, text: received }) => ({
    level: 'warn',
    message: 'The server sent something that is not a valid message',
    fields: { kind, text: received },
  }),
  'output-mismatch': ({ tool, issues }) => ({
    level: 'warn',
    message: `The result of the tool ${text(tool)} does not match its output schema`,
    fields: { tool, issues },
  }),
  disconnected: ({ server, error }) => ({
    level: 'warn',
    message: `The connection to the server${server === undefined ? '' : ` ${text(server)}`} was lost`,
    fields: { ...(server !== undefined && { server }), err: error },
  }),
  reconnected: () => ({ level: 'info', message: 'The connection to the server is open again', fields: {} }),
  upstream: ({ server, state, error, nextAttemptAt }) => ({
    level: STATE_LEVELS[text(state)] ?? 'debug',
    message: `The server ${text(server)} is ${text(state)}`,
    fields: { server, state, ...(nextAttemptAt !== undefined && { nextAttemptAt }), ...(error !== undefined && { err: error }) },
  }),
  call: ({ type: _type, server, method, name, principal, outcome, errorCode, durationMs }) => ({
    level: OUTCOME_LEVELS[text(outcome)] ?? 'info',
    message: `${text(method)} ${text(name)} ended: ${text(outcome)}`,
    fields: {
      ...(server !== undefined && { server }),
      method,
      target: name,
      ...(principal !== undefined && { user: principal }),
      outcome,
      ...(errorCode !== undefined && { errorCode }),
      durationMs,
    },
  }),
  'item-dropped': ({ server, kind, name, reason }) => ({
    level: 'warn',
    message: `The ${text(kind)} ${text(name)} of ${text(server)} is left out`,
    fields: { server, kind, target: name, reason },
  }),
  stderr: ({ server, text: written }) => ({
    level: 'debug',
    message: 'A server wrote to stderr',
    fields: { server, text: written },
  }),
}

/** Fields that identify something and contain no secrets. Ids look like secrets to redaction. */
const IDS: ReadonlySet<string> = new Set([
  'reference',
  'requestId',
  'sessionId',
  'traceId',
  'spanId',
  'user',
  'method',
  'outcome',
])

/** Turns an event into a record without secrets. Types that are unknown here are logged at `debug`. */
export function recordOfEvent(event: LoggableEvent, redact: RemoveSecrets): LogRecord {
  const { type, ...members } = event
  const toRecord = Object.hasOwn(EVENTS, type) ? EVENTS[type] : undefined
  const { level, message, fields } = toRecord?.({ ...members, type }) ?? {
    level: 'debug',
    message: `Event ${type}`,
    fields: members,
  }
  return redactRecord({ level, message, fields: { event: type, ...fields } }, redact)
}

/**
 * Removes secrets from a record. Errors become objects with the members `name`, `message`, `stack`, `code` and `cause`. A record whose secrets
 * cannot be removed loses its message and its fields.
 */
export function redactRecord({ level, message, fields }: LogRecord, redact: RemoveSecrets): LogRecord {
  const redacted: { [field: string]: unknown } = {}
  try {
    for (const [key, value] of Object.entries(fields))
      redacted[key] = key === 'err' ? withoutConstructor(redact(describeError(value))) : IDS.has(key) ? value : redact(value)
    return { level, message: text(redact(message)), fields: redacted }
  } catch {
    return { level, message: 'A record is left out: its secrets could not be removed', fields: {} }
  }
}

/** Returns the object without a prototype: the type that pino shows of an error is the name of its constructor, or else its `name`. */
function withoutConstructor(value: unknown): unknown {
  return isObject(value) ? Object.assign(Object.create(null), value) : value
}

const MAX_CAUSES = 5

/** Returns the members of an error that belong in a log. */
function describeError(error: unknown, depth: number = MAX_CAUSES): unknown {
  if (!(error instanceof Error)) return isObject(error) ? { ...error } : error
  const code = 'code' in error ? error.code : undefined
  return {
    name: error.name,
    message: error.message,
    stack: error.stack,
    ...(code !== undefined && { code }),
    ...(error.cause !== undefined && depth > 0 && { cause: describeError(error.cause, depth - 1) }),
  }
}
