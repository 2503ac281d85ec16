import type { Middleware } from 'portcall/client'
import { deriveContext, isObject, isSuccess, type JsonValue, type Response, success } from 'portcall/jsonrpc'
import { unwrapOutputSchema } from '../../../portcall/src/diagnostics/compare/unwrap-output-schemas.ts'
import { revisionOf } from '../../../portcall/src/protocol/revisions.ts'
import { type CallScope, callScope } from './call-scope.ts'
import type { MessageRecorder } from './messages.ts'

/**
 * Creates the middleware that sees each message in the newest revision, and adds that form to the message on the wire. It is the innermost
 * middleware, right above the translation. `revision` returns the revision on the wire.
 */
export function createNewestView(messages: MessageRecorder, revision: () => string | undefined): Middleware {
  return (request, context, next) => {
    const outer = callScope.getStore()
    const scope: CallScope = { ...outer, request: structuredClone(request) }
    const notify: typeof context.notify = (notification) => {
      const entryId = messages.lastNotification(notification.method)
      if (entryId !== undefined) messages.setNewest(entryId, notification as unknown as JsonValue)
      return context.notify(notification)
    }
    return callScope.run(scope, async () => {
      const response = await next(request, deriveContext(context, { notify }))
      const entryId = scope.entryId === undefined ? undefined : messages.responseOf(scope.entryId)
      if (entryId !== undefined) messages.setNewest(entryId, unwrap(response, revision()) as unknown as JsonValue)
      outer?.onResponse?.(response)
      return response
    })
  }
}

/**
 * Returns a response with the structured content and the output schemas that the newest revision allows: the value itself, where a server of a
 * revision that allows only objects sent `{ "result": value }`. For display only, because a server can also mean that object.
 */
function unwrap(response: Response, revision = ''): Response {
  if (revisionOf(revision)?.structuredContent !== 'object' || !isSuccess(response)) return response
  const { structuredContent, tools } = response.result
  if (Array.isArray(tools))
    return success(response.id, {
      ...response.result,
      tools: tools.map((tool: unknown) => (isObject(tool) ? unwrapOutputSchema(tool) : tool)),
    })
  if (!isObject(structuredContent) || Object.keys(structuredContent).join() !== 'result' || isObject(structuredContent.result))
    return response
  return success(response.id, { ...response.result, structuredContent: structuredContent.result })
}
