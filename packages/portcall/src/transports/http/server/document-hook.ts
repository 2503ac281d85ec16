import type { HookResponse } from '../../../protocol/http.ts'
import type { HostCheck } from './host-check.ts'
import type { EndpointOptions } from './options.ts'
import { type RequestHook, sendHookResponse } from './request-hook.ts'
import type { HttpContext } from './types.ts'

/** Returns a check that lets pages of every origin read public documents. The `Host` is checked all the same, because documents name it. */
export function allowEveryOriginForDocuments(checkHost: HostCheck, { publicDocuments }: EndpointOptions): HostCheck {
  if (!publicDocuments) return checkHost
  return (request) => {
    const { host, target } = request
    checkHost(publicDocuments(request) ? { host, target, header: () => undefined } : request)
  }
}

/** Creates the hook that answers requests for public documents, which need no authentication, and leaves all others to `next`. */
export function createDocumentHook({ publicDocuments }: EndpointOptions, next: RequestHook | undefined): RequestHook | undefined {
  if (!publicDocuments) return next
  return (context) => {
    const respond = publicDocuments(context)
    return respond ? answer(context, respond) : (next?.(context) ?? false)
  }
}

async function answer(context: HttpContext, respond: (context: HttpContext) => Promise<HookResponse>): Promise<true> {
  // The documents have CORS headers of their own.
  context.commonHeaders = []
  sendHookResponse(context, await respond(context))
  return true
}
