import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts'
import { type ErrorBody, failure, type RequestId } from '../../jsonrpc/message.ts'
import { checkedHeaders, JSON_HEADERS, type NamedHeaders } from './headers.ts'
import { checkedStatus } from './status.ts'
import type { HttpReply } from './types.ts'

/** Throw it to answer an HTTP request with a status of its own, more headers and a JSON-RPC error as the body. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly code = 'HTTP_ERROR'
  readonly status: number
  readonly headers: NamedHeaders
  readonly body: ErrorBody

  /**
   * @throws TypeError when a header has a name or a value that cannot be written, such as one of several lines.
   * @throws RangeError when the status is none of an answer.
   */
  constructor(status: number, headers: NamedHeaders, body: ErrorBody) {
    super(body.message)
    this.status = checkedStatus(status)
    this.headers = checkedHeaders(headers)
    this.body = body
  }
}

/** Makes the error that refuses a request: the code is that of an invalid request, above 499 and for 429 that of an internal error. */
export function refuse(status: number, message: string, headers: NamedHeaders = {}): HttpError {
  const code = status >= 500 || status === 429 ? ErrorCode.internalError : ErrorCode.invalidRequest
  return new HttpError(status, headers, { code, message })
}

/** Answers with an error; the id stays out when it could not be read. */
export function sendError(reply: HttpReply, error: HttpError, id?: RequestId): void {
  const more = Object.entries(error.headers).flat()
  reply.send(error.status, more.length ? [...JSON_HEADERS, ...more] : JSON_HEADERS, JSON.stringify(failure(id, error.body)))
}

/** Makes whatever was thrown into something that may be sent: what only we should know goes to `onError` instead. */
export function asHttpError(error: unknown, onError: (error: unknown) => void): HttpError {
  if (error instanceof HttpError) return error
  if (error instanceof RpcError) return new HttpError(400, {}, error.body())
  onError(error)
  return refuse(500, 'Internal error')
}
