import { isCertificateError, type OperationOutcome, RemoteError } from '../remote/remote-error.ts'

/** The consequences of an SQLSTATE. */
interface SqlState {
  readonly outcome: OperationOutcome
  /** Advice for the message. */
  readonly advice?: string
}

/** Explains what fails with a pooler, and what to change. */
export const POOLER =
  'a pooler in transaction mode, such as PgBouncer, is between this process and PostgreSQL: connect directly, or set it to session mode'

/**
 * Meanings of SQLSTATE codes, by the code or its class of two characters. All others are rejections: the statement was not applied, and the
 * connection can be used again.
 */
const STATES: Readonly<Record<string, SqlState>> = {
  // Connections: exceptions, and connections that the server ended.
  '08': { outcome: 'unknown' },
  '57P01': { outcome: 'unknown' },
  '57P02': { outcome: 'unknown' },
  '57P04': { outcome: 'unknown' },
  '57P05': { outcome: 'unknown' },
  '25P03': { outcome: 'unknown' },
  '25P04': { outcome: 'unknown' },
  // The server is not ready, or has too many connections.
  '57P03': { outcome: 'unsent' },
  '53300': { outcome: 'unsent' },
  // Conflicts between transactions.
  '40001': { outcome: 'unsent' },
  '40P01': { outcome: 'unsent' },
  '55P03': { outcome: 'unsent' },
  // A primary that was demoted: a new connection may reach the new one.
  '25006': { outcome: 'stale' },
  // A prepared statement that is missing, or was prepared by somebody else.
  '26000': { outcome: 'rejected', advice: POOLER },
  '42P05': { outcome: 'rejected', advice: POOLER },
}

/** Codes of failures to connect. */
const NOT_CONNECTED: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOENT', 'ENOTFOUND', 'EAI_AGAIN', 'CONNECT_TIMEOUT'])
/** The error of `pg` when the server has TLS off. It has no code. */
const NO_TLS = 'The server does not support SSL connections'
const SQLSTATE = /^[0-9A-Z]{5}$/

/** Converts an error of a driver. Without an SQLSTATE, it comes from the connection, and the outcome is unknown. */
export function toRemoteError(error: unknown): RemoteError {
  const code = codeOf(error)
  if (NOT_CONNECTED.has(code)) return new RemoteError('unsent', error)
  if (isCertificateError(error)) return new RemoteError('rejected', error)
  if (!SQLSTATE.test(code)) return new RemoteError('unknown', error)
  const { outcome, advice } = STATES[code] ?? STATES[code.slice(0, 2)] ?? { outcome: 'rejected' }
  return new RemoteError(outcome, advice ? withAdvice(error, advice) : error)
}

/** Reports whether connecting fails however often it is tried, such as with a wrong password, an unknown database or an unknown certificate. */
export function isPermanentConnectError(error: unknown): boolean {
  return /^(28|3D)/.test(codeOf(error)) || isCertificateError(error) || (error instanceof Error && error.message === NO_TLS)
}

/** Returns the SQLSTATE of an error, or any other code that it has. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

function withAdvice(error: unknown, advice: string): Error {
  const message = error instanceof Error ? error.message : String(error)
  return Object.assign(new Error(`${message} (${advice})`, { cause: error }), { code: codeOf(error) })
}
