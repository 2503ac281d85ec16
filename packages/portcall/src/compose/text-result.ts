import { type Request, type Response, success } from '../jsonrpc/message.ts'

/** Answers a tool call with text. A failed result tells the model what went wrong. */
export function textResult({ id }: Pick<Request, 'id'>, text: string, isError = false): Response {
  return success(id, { resultType: 'complete', content: [{ type: 'text', text }], ...(isError && { isError }) })
}
