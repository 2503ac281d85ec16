import { ErrorCode, RpcError } from '../jsonrpc/errors.ts'
import type { Handling } from '../jsonrpc/handling.ts'
import { type ErrorBody, isObject, isSuccess, type Response } from '../jsonrpc/message.ts'
import { refusedBy } from '../jsonrpc/refusal.ts'
import { retryAfterMsOf } from '../jsonrpc/retryable.ts'
import { StoreUnavailableError } from '../stores/errors.ts'
import { REFUSED_META } from './refusal.ts'

/** The codes with which servers refuse a request before it has an effect. */
const REFUSAL_CODES: ReadonlySet<number> = new Set([
  ErrorCode.parseError,
  ErrorCode.invalidRequest,
  ErrorCode.methodNotFound,
  ErrorCode.invalidParams,
  // Of MCP: headers, capabilities or the version of the request do not fit.
  -32020,
  -32021,
  -32022,
])

/**
 * Reports whether a request was refused: nothing has run, and the same request may be answered otherwise later. Failures of handlers are no
 * refusals. Without reports of a server, an unmarked failed result counts as the outcome of a handler.
 */
export function isRefusedResponse(response: Response, { state }: Handling): boolean {
  if (state === 'started') return false
  if (refusedBy(response) !== undefined) return true
  return state === 'received' ? isFailure(response) : isRefusedElsewhere(response)
}

function isFailure(response: Response): boolean {
  return !isSuccess(response) || response.result.isError === true
}

/** Reports whether the response of another server says that it has refused the request. */
export function isRefusedElsewhere(response: Response): boolean {
  if (refusedBy(response) !== undefined) return true
  if (!isSuccess(response)) return isRefusalError(response.error)
  const { isError, _meta: meta } = response.result
  return isError === true && isObject(meta) && meta[REFUSED_META] === true
}

/** Reports whether the error of a response says that the request had no effect. */
function isRefusalError(error: ErrorBody): boolean {
  return REFUSAL_CODES.has(error.code) || retryAfterMsOf(error) !== undefined
}

/** Reports whether what was thrown in place of a response says that nothing has run. */
export function isRefusedRequest(error: unknown, { state }: Handling): boolean {
  if (state === 'started') return false
  return state === 'received' || error instanceof RpcError || error instanceof StoreUnavailableError
}
