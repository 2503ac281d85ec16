import { isSuccess, type JsonObject, type Response, success } from '../../jsonrpc/message.ts'
import { STUCK } from '../../protocol/pages.ts'
import { unavailable } from '../api/errors.ts'
import type { OnGatewayEvent } from '../api/events.ts'
import type { ListCursors } from '../lists/cursors.ts'
import type { GatewayKindInfo } from '../policy/item-kinds.ts'
import { checkItems } from '../upstreams/check-item.ts'
import type { GatewayUpstream } from '../upstreams/upstream.ts'
import { UpstreamContext } from '../upstreams/upstream-context.ts'
import type { CallerRequest } from './item-call.ts'

let lastId = 0

/** Sends a request to a server as it is. */
export async function proxyRequest(upstream: GatewayUpstream, { request, context, caller }: CallerRequest): Promise<Response> {
  const { id, method, params } = request
  const send = upstream.exchangeUnder(caller.policies)
  const response = await send(
    { jsonrpc: '2.0', id: ++lastId, method, ...(params && { params }) },
    new UpstreamContext(context, request),
  ).catch((error: unknown) => {
    if (context.signal.aborted) throw error
    throw unavailable(upstream.name, error, method)
  })
  return { ...response, id }
}

/** A request for a page, and what the gateway does with the response. */
export interface PageContext {
  readonly call: CallerRequest
  readonly cursors: ListCursors
  readonly onEvent: OnGatewayEvent
}

/** Passes on a page of the list of a single server, without the items that are malformed or not visible. */
export async function proxyList(
  upstream: GatewayUpstream,
  info: GatewayKindInfo,
  { call, cursors, onEvent }: PageContext,
): Promise<Response> {
  const { auth } = call.context
  const { policies } = call.caller
  const { cursor, ...params } = call.request.params ?? {}
  const position = (await cursors.open(cursor, { auth, method: info.method })) as string | undefined
  const request = { ...call.request, params: position === undefined ? params : { ...params, cursor: position } }
  const response = await proxyRequest(upstream, { ...call, request })
  if (!isSuccess(response) || !Array.isArray(response.result[info.key])) return response
  const filter = upstream.filters[info.kind]
  const list: unknown[] = response.result[info.key] as unknown[]
  let items: readonly JsonObject[] = checkItems(list, {
    ...{ info, server: upstream.name, onEvent },
    hasWebhook: upstream.options.eventWebhook !== undefined,
  })
  for (const policy of policies.list) items = (await policy.listed?.(upstream.name, info.kind, items)) ?? items
  const kept = items.flatMap((definition) => {
    const name = String(definition[info.id])
    const item = { server: upstream.name, kind: info.kind, name, definition }
    if (!filter.accepts(name) || !policies.isVisible(item, call.caller)) return []
    const renamed = filter.rename(name)
    return [
      policies.describe(
        { ...item, definition: renamed === name ? definition : { ...definition, [info.id]: renamed } },
        call.caller,
      ),
    ]
  })
  const { nextCursor, ...result } = response.result
  // Clients cannot see that the cursor is the same: it is sealed anew.
  const isStuck = typeof nextCursor === 'string' && list.length === 0 && nextCursor === position
  if (isStuck) onEvent({ type: 'warning', server: upstream.name, message: `${info.method} ${STUCK}` })
  const isLast = typeof nextCursor !== 'string' || isStuck
  const next = isLast ? {} : { nextCursor: await cursors.seal(nextCursor, { auth, method: info.method }) }
  return success(request.id, { ...result, [info.key]: kept, ...next })
}
