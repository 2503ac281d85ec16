import { ErrorCode, RpcError } from '../jsonrpc/errors.ts'
import { type Request, type Response, success } from '../jsonrpc/message.ts'
import { markRefused } from '../jsonrpc/refusal.ts'

/**
 * Answers a request that a middleware refuses. A tool call gets a failed result, so that the model learns why and can try again later; other
 * requests get the error "internal error" with `data`.
 */
export function refuse({ id, method }: Request, message: string, data: { readonly [key: string]: unknown }): Response {
  if (method !== 'tools/call') return markRefused(new RpcError(ErrorCode.internalError, message, data).response(id))
  return markRefused(success(id, { resultType: 'complete', content: [{ type: 'text', text: message }], isError: true }))
}
