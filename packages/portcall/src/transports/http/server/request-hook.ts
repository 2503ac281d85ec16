import type { HookResponse } from '../../../protocol/http.ts'
import { Header, validateHeaders } from '../common/headers.ts'
import type { Cors } from './cors.ts'
import { validateStatus } from './http-error.ts'
import type { HttpOptions } from './options.ts'
import type { HttpContext, HttpReply } from './types.ts'

/** Answers a request before it reaches the endpoint. Reports whether it did. */
export type RequestHook = (context: HttpContext) => boolean | Promise<boolean>

/** Creates the hook that answers CORS preflight requests and calls `onRequest`. Returns undefined if there is neither. */
export function createRequestHook({ onRequest }: HttpOptions, cors: Cors | undefined): RequestHook | undefined {
  if (!onRequest && !cors) return undefined
  return (context) => {
    const preflight = cors?.preflight(context)
    if (preflight) {
      context.send(204, preflight)
      return true
    }
    const response = onRequest?.(context)
    return response instanceof Promise ? response.then((resolved) => send(context, resolved)) : send(context, response)
  }
}

function send(reply: HttpReply, response: HookResponse | undefined): boolean {
  if (!response) return false
  sendHookResponse(reply, response)
  return true
}

/** Sends the response of a hook. @throws TypeError if its status or a header is invalid. */
export function sendHookResponse(reply: HttpReply, response: HookResponse): void {
  const headers = { [Header.cacheControl]: 'no-store', ...validateHeaders(response.headers ?? {}) }
  reply.send(validateStatus(response.status), Object.entries(headers).flat(), response.body)
}
