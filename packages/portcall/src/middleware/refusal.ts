import { ErrorCode, RpcError } from '../jsonrpc/errors.ts'
import { type Request, type Response, success } from '../jsonrpc/message.ts'
import { markRefused } from '../jsonrpc/refusal.ts'

/** The `_meta` member of a failed result that says that the tool has not run, so that the call may be sent again. */
export const REFUSED_META = 'io.github.portcall/refused'

/** The response to a request that a middleware does not answer with a result. */
export interface Refusal {
  readonly message: string
  /** The `data` of an error. */
  readonly data?: { readonly [key: string]: unknown }
  /** True if the request has run, or may have. */
  readonly hasRun?: boolean
}

/**
 * Answers a request that a middleware refuses. A tool call gets a failed result, so that the model learns why and can try again later; other
 * requests get the error "internal error" with `data`.
 */
export function refuse({ id, method }: Request, { message, data, hasRun = false }: Refusal): Response {
  if (method !== 'tools/call') return markRefused(new RpcError(ErrorCode.internalError, message, data).response(id))
  const _meta = hasRun ? undefined : { [REFUSED_META]: true }
  const content = [{ type: 'text', text: message }]
  return markRefused(success(id, { resultType: 'complete', content, isError: true, ...(_meta && { _meta }) }))
}
