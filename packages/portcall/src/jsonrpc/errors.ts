import { failure, type ErrorBody, type Failure, type RequestId } from './message.ts'

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

/** The connection ended before the answer came. Nothing is known about what the peer did. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost'
  readonly code = 'CONNECTION_LOST'
}
