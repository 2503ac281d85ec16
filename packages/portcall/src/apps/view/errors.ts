/** Errors of views. */

/**
 * `UNSUPPORTED_BY_HOST`: the host does not offer it. `HANDSHAKE_TIMEOUT`: nobody answered. `NOT_IN_HOST`: the page is not in a frame. `REQUEST_FAILED`: the
 * host answered with an error. `REQUEST_TIMEOUT`: no answer in time. `APP_CLOSED`: the host removes the view.
 */
export type AppErrorCode =
  | 'UNSUPPORTED_BY_HOST'
  | 'HANDSHAKE_TIMEOUT'
  | 'NOT_IN_HOST'
  | 'REQUEST_FAILED'
  | 'REQUEST_TIMEOUT'
  | 'APP_CLOSED'

/** An error of a view. */
export class AppError extends Error {
  override readonly name = 'AppError'
  /** The kind of the error. */
  readonly code: AppErrorCode
  /** The error code of JSON-RPC, with `REQUEST_FAILED`. */
  readonly rpcCode?: number
  /** The data of the JSON-RPC error, with `REQUEST_FAILED`. */
  readonly data?: unknown

  /** `details` are the code and the data of a JSON-RPC error. */
  constructor(code: AppErrorCode, message: string, details: { readonly code?: unknown; readonly data?: unknown } = {}) {
    super(message)
    this.code = code
    if (typeof details.code === 'number') this.rpcCode = details.code
    if (details.data !== undefined) this.data = details.data
  }
}
