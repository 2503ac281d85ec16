import type { HookResponse } from '../../../protocol/http.ts'
import type { HostCheck } from './host-check.ts'
import type { EndpointOptions } from './options.ts'
import { sendHookResponse } from './request-hook.ts'
import type { HttpContext } from './types.ts'

/**
 * Creates the hook that answers requests for public documents. They come first: they are for pages of all origins and for callers without
 * authentication. The `Host` is checked all the same, because documents name it. The hook returns undefined for other requests.
 */
export function createDocumentHook(
  { publicDocuments }: EndpointOptions,
  checkHost: HostCheck,
): ((context: HttpContext) => Promise<true> | undefined) | undefined {
  if (!publicDocuments) return undefined
  return (context) => {
    const respond = publicDocuments(context)
    return respond && answer(context, { checkHost, respond })
  }
}

interface DocumentAnswer {
  readonly checkHost: HostCheck
  readonly respond: (context: HttpContext) => Promise<HookResponse>
}

async function answer(context: HttpContext, { checkHost, respond }: DocumentAnswer): Promise<true> {
  // The documents have CORS headers of their own.
  context.commonHeaders = []
  const { host, target } = context
  checkHost({ host, target, header: () => undefined })
  sendHookResponse(context, await respond(context))
  return true
}
