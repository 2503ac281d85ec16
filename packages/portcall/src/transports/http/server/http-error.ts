import { PortcallError } from '../../../../../util/src/errors.ts'
import { ErrorCode, internalError, RpcError } from '../../../jsonrpc/errors.ts'
import { type ErrorBody, failure, type RequestId, type Response } from '../../../jsonrpc/message.ts'
import type { RetryData } from '../../../jsonrpc/retryable.ts'
import { requiredScopes } from '../../../protocol/errors.ts'
import type { WrongPathData } from '../../../protocol/http.ts'
import { flattenHeaders, Header, type HeaderRecord, JSON_HEADERS, validateHeaders } from '../common/headers.ts'
import type { HttpEndpoint } from './endpoint.ts'
import type { HttpContext, HttpReply } from './types.ts'

/** Throw it to answer an HTTP request with a status, additional headers and a JSON-RPC error as the body. */
export class HttpError extends PortcallError {
  override readonly name = 'HttpError'
  readonly code = 'HTTP_ERROR'
  /** The HTTP status. */
  readonly status: number
  /** The additional response headers. */
  readonly headers: HeaderRecord
  /** The JSON-RPC error in the body. */
  readonly body: ErrorBody

  /**
   * @throws TypeError if the name or value of a header is invalid, such as a value with a line break.
   * @throws RangeError if the status is not an integer from 200 to 599.
   */
  constructor(status: number, headers: HeaderRecord, body: ErrorBody) {
    super(body.message)
    this.status = validateStatus(status)
    this.headers = validateHeaders(headers)
    this.body = body
  }
}

/** Creates an error with the JSON-RPC code "internal error" for 429 and statuses from 500, "invalid request" for all others. */
export function httpError(status: number, message: string, headers: HeaderRecord = {}): HttpError {
  const code = status >= 500 || status === 429 ? ErrorCode.internalError : ErrorCode.invalidRequest
  const seconds = headers[Header.retryAfter]
  return new HttpError(status, headers, {
    code,
    message,
    ...(seconds !== undefined && { data: { retryAfterMs: Number(seconds) * 1000 } satisfies RetryData }),
  })
}

/** Creates the error for a request to a path without an endpoint. */
export function wrongPathError(path: string): HttpError {
  const data: WrongPathData = { path }
  return new HttpError(404, {}, { code: ErrorCode.invalidRequest, message: `Not found: the endpoint is at ${path}`, data })
}

/** Sends an error; omit `id` if the request id could not be read. */
export function sendError(reply: HttpReply, error: HttpError, id?: RequestId): void {
  const more = Object.entries(error.headers).flat()
  reply.send(error.status, more.length ? [...JSON_HEADERS, ...more] : JSON_HEADERS, JSON.stringify(failure(id, error.body)))
}

/** Converts anything thrown to an error that may be sent. Unexpected errors go to `onError`; the client gets "Internal error". */
export function toHttpError(error: unknown, onError: (error: unknown) => unknown): HttpError {
  if (error instanceof HttpError) return error
  if (error instanceof RpcError) return new HttpError(400, {}, error.body())
  return new HttpError(500, {}, internalError(report(error, onError)).body())
}

/** Returns the reference of a reported error. What the user's function throws is ignored. */
function report(error: unknown, onError: (error: unknown) => unknown): unknown {
  try {
    return onError(error)
  } catch {
    return undefined
  }
}

/**
 * Sends 403 with the required scopes in a challenge if the response is an "insufficient scope" error of the core. Reports whether it did;
 * it ignores all other responses.
 */
export function sendInsufficientScope(
  response: Response,
  context: HttpContext,
  { insufficientScopeHeaders }: Pick<HttpEndpoint, 'insufficientScopeHeaders'>,
): boolean {
  const scopes = requiredScopes(response)
  if (!scopes) return false
  const challenge = flattenHeaders(insufficientScopeHeaders?.(scopes, context.auth) ?? {})
  context.send(403, [...JSON_HEADERS, ...challenge], JSON.stringify(response))
  return true
}

const MIN_STATUS = 200
const MAX_STATUS = 599

/** Returns the status of a final response. @throws RangeError if it is not an integer from 200 to 599. */
export function validateStatus(status: number): number {
  if (Number.isInteger(status) && status >= MIN_STATUS && status <= MAX_STATUS) return status
  throw new RangeError(`The status of a response must be an integer from ${MIN_STATUS} to ${MAX_STATUS}, not ${status}`)
}
