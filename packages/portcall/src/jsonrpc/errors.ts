import { type ErrorBody, type Failure, failure, type RequestId } from './message.ts'

/** The codes that JSON-RPC 2.0 reserves (section 5.1). */
export const ErrorCode = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
} as const

/**
 * The one error that crosses the wire: throw it to answer a request with exactly this `code`, `message` and `data`.
 * Everything else that is thrown becomes a generic internal error.
 */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  readonly data?: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    if (data !== undefined) this.data = data
  }

  /** The error as the `error` member of a response. */
  body(): ErrorBody {
    const { code, message, data } = this
    return data === undefined ? { code, message } : { code, message, data }
  }

  /** The error as a whole response. */
  response(id: RequestId | undefined): Failure {
    return failure(id, this.body())
  }
}

/** How the process at the other end ended. */
export interface ProcessExit {
  /** Its exit code; `null` when a signal ended it, or when it still runs. */
  readonly code: number | null
  readonly signal: string | null
  /** The last that it wrote to stderr. */
  readonly stderr: string
}

export interface ConnectionLostOptions extends ErrorOptions {
  readonly retryable?: boolean
  readonly exit?: ProcessExit | undefined
}

/**
 * The connection ended, or could not be had, before the answer came. Nothing is known about what the peer did: what does no harm when it
 * is done twice may be asked again, as a new request.
 */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost'
  readonly code = 'CONNECTION_LOST'
  /** False when this side has closed the connection: no other will come. */
  readonly retryable: boolean

  /** Present when the peer was a process that this side had started. */
  readonly exit?: ProcessExit

  constructor(
    message = 'The connection ended before the answer came',
    { retryable = true, exit, ...options }: ConnectionLostOptions = {},
  ) {
    super(message, options)
    this.retryable = retryable
    if (exit) this.exit = exit
  }
}

/** Makes the error for what still waits when this side closes the connection. */
export function closedHere(): ConnectionLost {
  return new ConnectionLost('The connection was closed before the answer came', { retryable: false })
}

/** Something came in the place of the answer that is none: no message, the answer to something else, or more than may come. */
export class UnreadableAnswer extends Error {
  override readonly name = 'UnreadableAnswer'
  readonly code = 'UNREADABLE_ANSWER'
  readonly retryable = false
}
