import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts'
import type { ExchangeContext } from '../../jsonrpc/exchange.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { KEPT_META, UNAVAILABLE_META } from '../../protocol/meta.ts'
import { describeToCaller } from '../api/errors.ts'
import type { Caller } from '../policy/caller.ts'
import type { GatewayKindInfo } from '../policy/item-kinds.ts'
import type { CurrentTable } from '../routes/table.ts'
import type { GatewayUpstream } from '../upstreams/upstream.ts'
import { isAtPath, mayKnowServer } from './known-servers.ts'
import type { MergedItem, MergedList, MergedLists } from './merged-lists.ts'
import type { ListPager } from './pager.ts'

export interface ListItemsOptions {
  readonly lists: MergedLists
  readonly registry: CurrentTable
  readonly pager: ListPager
}

/** Answers a list request: the visible items of all servers, page by page. */
export type ListItems = (
  info: GatewayKindInfo,
  caller: Caller,
  request: { readonly cursor: unknown; readonly auth: ExchangeContext['auth'] },
) => Promise<JsonObject>

export function createListItems({ lists, registry, pager }: ListItemsOptions): ListItems {
  const visibleItems = ({ items }: MergedList, caller: Caller): JsonObject[] => {
    const { policies, selection } = caller
    const all = [...items.values()]
    const here = selection?.server === undefined ? all : all.filter(({ upstream }) => isAtPath(upstream, caller))
    if (policies.isEmpty) return here.map(({ listed }) => listed)
    return here.filter((item) => policies.isVisible(item, caller)).map((item) => describe(item, caller))
  }
  const describe = (item: MergedItem, caller: Caller): JsonObject =>
    caller.policies.describe({ ...item, definition: item.listed }, caller)

  return async (info, caller, { cursor, auth }) => {
    const list = (caller.acceptsKnownLists && lists.known(info.kind, caller)) || (await lists.get(info.kind, caller))
    const servers = registry.table.upstreams.filter(
      (upstream) => list.missing.has(upstream.name) && mayKnowServer(upstream, caller, [info.kind]),
    )
    failIfRequired(list, servers)
    const items = visibleItems(list, caller)
    const { page, nextCursor } = await pager({ items, id: info.id, cursor, binding: { auth, method: info.method } })
    const unavailable = Object.fromEntries(servers.map(({ name }) => [name, describeToCaller(list.missing.get(name))]))
    return {
      resultType: 'complete',
      [info.key]: page,
      ...(nextCursor !== undefined && { nextCursor }),
      ...list.rules,
      ...(servers.length > 0 && { _meta: { [UNAVAILABLE_META]: unavailable, ...keptMeta(list, servers) } }),
    }
  }
}

/** Returns the metadata of servers whose items are kept ones: their fetch times. */
function keptMeta({ kept }: MergedList, servers: readonly GatewayUpstream[]): JsonObject {
  const times = servers.flatMap(({ name }) => {
    const since = kept.get(name)
    return since === undefined ? [] : [[name, new Date(since).toISOString()] as const]
  })
  return times.length > 0 ? { [KEPT_META]: Object.fromEntries(times) } : {}
}

/** @throws RpcError if a server is left out that may not be left out. */
export function failIfRequired({ missing }: Pick<MergedList, 'missing'>, upstreams: readonly GatewayUpstream[]): void {
  const required = upstreams.find(({ name, options }) => options.required && missing.has(name))
  if (!required) return
  const reason = describeToCaller(missing.get(required.name))
  throw new RpcError(ErrorCode.internalError, `The server ${required.name}, which is required, is not available: ${reason}`, {
    server: required.name,
  })
}
