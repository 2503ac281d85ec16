import { PortcallError } from '../../../util/src/errors.ts'
import { type ErrorBody, type Failure, failure, isSuccess, type JsonObject, type RequestId, type Response } from './message.ts'

/** The error codes that JSON-RPC 2.0 defines (section 5.1). */
export const ErrorCode = {
  /** The message is not JSON. */
  parseError: -32700,
  /** The message is not a valid request. */
  invalidRequest: -32600,
  /** The method does not exist, or its capability was not declared. */
  methodNotFound: -32601,
  /** The params are invalid, or name something that does not exist. */
  invalidParams: -32602,
  /** The request failed and its details are not disclosed. */
  internalError: -32603,
} as const

/**
 * A JSON-RPC error. Throw it in a handler to respond with exactly this `code`, `message` and `data`; any other error that a handler throws
 * becomes a generic internal error.
 */
export class RpcError extends PortcallError {
  override readonly name = 'RpcError'
  /** The error code, a number: one of `ErrorCode`, of `ProtocolErrorCode`, or your own. */
  readonly code: number
  /** Additional data about the error. */
  readonly data?: unknown
  /** The method of the request that a peer answered with this error, such as `tools/list`. Absent from errors that you create. */
  readonly method?: string

  /** `code` is an integer. The specification reserves -32768 to -32000. `data` must be JSON, and is sent as it is. */
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

/** Returns the result of a response. @throws RpcError that names the method of the request, if the response is an error. */
export function resultOf(response: Response, method: string): JsonObject {
  if (isSuccess(response)) return response.result
  const { code, message, data } = response.error
  throw Object.assign(new RpcError(code, message, data), { method })
}

/** Creates the error that a client receives instead of an unexpected one: a reference to the report of the error, and no details. */
export function internalError(reference?: unknown, message = 'Internal error', data?: unknown): RpcError {
  return new RpcError(
    ErrorCode.internalError,
    typeof reference === 'string' ? `${message}. Reference: ${reference}` : message,
    data,
  )
}

/** How the process of a server ended. */
export interface ProcessExit {
  /** The exit code; `null` if a signal ended the process, or if it is still running. */
  readonly code: number | null
  /** The signal that ended the process; `null` if it exited by itself. */
  readonly signal: string | null
  /** The end of its output to stderr. */
  readonly stderr: string
  /** The predicate of a sentence, such as `exited with code 1`. */
  readonly summary: string
  /** The first text on stdout that is not a message, if there was any. */
  readonly strayOutput?: string
}

/** Returns the predicate of a sentence that says how a process ended, and what it printed where only messages are allowed. */
export function describeExit({ summary, strayOutput }: Pick<ProcessExit, 'summary' | 'strayOutput'>): string {
  if (strayOutput === undefined) return summary
  return `${summary}. It printed this to stdout, where only messages are allowed:\n${strayOutput}`
}

export interface ConnectionLostErrorOptions extends ErrorOptions {
  readonly retryable?: boolean
  readonly exit?: ProcessExit | undefined
  /** The URL of the request, without its query. */
  readonly url?: string | undefined
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
  /** The URL of the request over HTTP, without its query. */
  readonly url?: string

  /** By default, the request may be retried, and the error has no `exit`. */
  constructor(
    message = 'The connection closed before the response arrived',
    { retryable = true, exit, url, ...options }: ConnectionLostErrorOptions = {},
  ) {
    super(message, options)
    this.retryable = retryable
    if (exit) this.exit = exit
    if (url !== undefined) this.url = url
  }
}

/** Returns the error for requests that are pending when this side closes the connection. */
export function closedLocally(): ConnectionLostError {
  return new ConnectionLostError('The connection was closed by this side before the response arrived', { retryable: false })
}

export interface InvalidResponseErrorOptions extends ErrorOptions {
  readonly url?: string | undefined
  readonly contentType?: string | undefined
}

/** Thrown when a response is invalid: not JSON-RPC, too large, or not a response to the request. */
export class InvalidResponseError extends PortcallError {
  override readonly name = 'InvalidResponseError'
  readonly code = 'INVALID_RESPONSE'
  /** A retry does not help. */
  readonly retryable = false
  /** The URL of the request, without its query. Present if the media type of the response is what is wrong. */
  readonly url?: string
  /** The media type of the response, if it is what is wrong. */
  readonly contentType?: string

  /** Pass the URL and the media type of the response if it has the wrong one. */
  constructor(message?: string, { url, contentType, ...options }: InvalidResponseErrorOptions = {}) {
    super(message, options)
    if (url !== undefined) this.url = url
    if (contentType !== undefined) this.contentType = contentType
  }
}
