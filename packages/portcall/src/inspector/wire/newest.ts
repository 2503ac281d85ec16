import type { Middleware } from '../../entrypoints/client.ts'
import { deriveContext } from '../../jsonrpc/exchange.ts'
import type { JsonValue } from '../../jsonrpc/message.ts'
import { type CallScope, callScope } from './call-scope.ts'
import type { MessageRecorder } from './messages.ts'

/**
 * Creates the middleware that sees each message in the newest revision, and adds that form to the message on the wire. It is the innermost
 * middleware, right above the translation.
 */
export function createNewestView(messages: MessageRecorder): Middleware {
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
      if (entryId !== undefined) messages.setNewest(entryId, response as unknown as JsonValue)
      outer?.onResponse?.(response)
      return response
    })
  }
}
