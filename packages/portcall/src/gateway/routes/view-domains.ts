import type { ExchangeContext } from '../../jsonrpc/exchange.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { OpenaiViewKey, ViewKey } from '../../protocol/apps.ts'
import { autoDomain } from '../../protocol/view-domain.ts'
import type { Caller } from '../policy/caller.ts'

/** Reports whether the metadata of a view, in a list or with its contents, has a domain. */
function hasDomain(view: unknown): view is JsonObject & { _meta: JsonObject } {
  if (!isObject(view) || !isObject(view._meta)) return false
  const ui = view._meta[ViewKey.nested]
  return (isObject(ui) && ui.domain !== undefined) || view._meta[OpenaiViewKey.domain] !== undefined
}

/**
 * Returns a result whose views have the domain that belongs to the URL of the gateway, in a list or in contents. A server computes its domain from its own
 * URL, and hosts refuse that of another one. Returns the same object, synchronously, if there is no domain.
 */
export function withOwnDomains(
  result: JsonObject,
  key: 'resources' | 'contents',
  { caller, context }: { readonly caller: Caller; readonly context: ExchangeContext },
): JsonObject | Promise<JsonObject> {
  const views = result[key]
  if (!Array.isArray(views) || !views.some(hasDomain)) return result
  return autoDomain({ clientName: caller.clientInfo?.name, http: context.http }).then((domain) => ({
    ...result,
    [key]: views.map((view: unknown) => (hasDomain(view) ? withDomain(view, domain) : view)),
    cacheScope: 'private',
  }))
}

function withDomain(view: JsonObject & { _meta: JsonObject }, domain: string | undefined): JsonObject {
  const { [ViewKey.nested]: ui, [OpenaiViewKey.domain]: openai, ...meta } = view._meta
  const { domain: own, ...rest } = isObject(ui) ? ui : {}
  const nested = own !== undefined && domain !== undefined ? { ...rest, domain } : rest
  return {
    ...view,
    _meta: {
      ...meta,
      ...(isObject(ui) && { [ViewKey.nested]: nested }),
      ...(openai !== undefined && domain !== undefined && { [OpenaiViewKey.domain]: domain }),
    },
  }
}
