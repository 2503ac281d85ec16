import { PortcallError } from '../util/errors.ts'
import { type ErrorBody, type Failure, failure, type RequestId } from './message.ts'

/** The error codes that JSON-RPC 2.0 defines (section 5.1). */
export const ErrorCode = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
} as const

/**
 * A JSON-RPC error. Throw it in a handler to respond with exactly this `code`, `message` and `data`; any other error that a handler throws
 * becomes a generic internal error.
 */
export class RpcError extends PortcallError {
  override readonly name = 'RpcError'
  readonly code: number
  readonly data?: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    if (data !== undefined) this.data = data
  }

  /** Returns the `error` member of a response. */
  body(): ErrorBody {
    const { code, message, data } = this
    return data === undefined ? { code, message } : { code, message, data }
  }

  /** Returns an error response. */
  response(id: RequestId | undefined): Failure {
    return failure(id, this.body())
  }
}

/** How the process of a server ended. */
export interface ProcessExit {
  /** The exit code; `null` if a signal ended the process, or if it is still running. */
  readonly code: number | null
  readonly signal: string | null
  /** The end of its output to stderr. */
  readonly stderr: string
}

export interface ConnectionLostErrorOptions extends ErrorOptions {
  readonly retryable?: boolean
  readonly exit?: ProcessExit | undefined
}

/**
 * Thrown when the connection failed or closed before the response arrived. Whether the peer processed the request is unknown; an idempotent
 * request can be sent again.
 */
export class ConnectionLostError extends PortcallError {
  override readonly name = 'ConnectionLostError'
  readonly code = 'CONNECTION_LOST'
  /** False if this side closed the connection, so that it will not be opened again. */
  readonly retryable: boolean
  /** Present if the peer was a process that this side had started. */
  readonly exit?: ProcessExit

  constructor(
    message = 'The connection closed before the response arrived',
    { retryable = true, exit, ...options }: ConnectionLostErrorOptions = {},
  ) {
    super(message, options)
    this.retryable = retryable
    if (exit) this.exit = exit
  }
}

/** Returns the error for requests that are pending when this side closes the connection. */
export function closedLocally(): ConnectionLostError {
  return new ConnectionLostError('The connection was closed by this side before the response arrived', { retryable: false })
}

/** Thrown when a response is invalid: not JSON-RPC, too large, or not a response to the request. */
export class InvalidResponseError extends PortcallError {
  override readonly name = 'InvalidResponseError'
  readonly code = 'INVALID_RESPONSE'
  readonly retryable = false
}
