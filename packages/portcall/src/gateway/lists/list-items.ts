import type { KindInfo } from '../../compose/kinds.ts'
import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts'
import type { ExchangeContext } from '../../jsonrpc/exchange.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { invalidParams } from '../../protocol/errors.ts'
import type { Sealer } from '../../stores/sealing/seal.ts'
import type { Caller } from '../caller.ts'
import { messageOf } from '../errors.ts'
import type { Policies } from '../policies.ts'
import type { GatewayUpstream } from '../upstreams/upstream.ts'
import type { MergedItem, MergedList, MergedLists } from './merged-lists.ts'

/** The `_meta` member of a list that names the servers that are left out, and why. */
export const UNAVAILABLE_META = 'io.github.portcall/unavailable'

export interface ListItemsOptions {
  readonly lists: MergedLists
  readonly policies: Policies
  readonly upstreams: () => readonly GatewayUpstream[]
  readonly sealer: Sealer
  readonly pageSize: number
}

/** Answers a list request: the visible items of all servers, page by page. */
export type ListItems = (
  info: KindInfo,
  caller: Caller,
  request: { readonly cursor: unknown; readonly auth: ExchangeContext['auth'] },
) => Promise<JsonObject>

const DAY_MS = 86_400_000
const PURPOSE = 'gateway-cursor'

export function createListItems({ lists, policies, upstreams, sealer, pageSize }: ListItemsOptions): ListItems {
  const visibleItems = ({ items }: MergedList, caller: Caller): JsonObject[] => {
    if (policies.isEmpty) return [...items.values()].map(({ listed }) => listed)
    return [...items.values()].filter((item) => policies.isVisible(item, caller)).map((item) => describe(item, caller))
  }
  const describe = (item: MergedItem, caller: Caller): JsonObject =>
    policies.describe({ ...item, definition: item.listed }, caller)

  return async (info, caller, { cursor, auth }) => {
    const list = await lists.get(info.kind, caller)
    failIfRequired(list, upstreams())
    const items = visibleItems(list, caller)
    const binding = { principal: auth?.principal, binding: info.method }
    const start = cursor === undefined ? 0 : await openCursor(cursor)
    const page = items.slice(start, start + pageSize)
    const isLast = start + pageSize >= items.length
    const unavailable = Object.fromEntries([...list.missing].map(([server, error]) => [server, messageOf(error)]))
    return {
      resultType: 'complete',
      [info.key]: page,
      ...(!isLast && { nextCursor: await sealer.seal(PURPOSE, page.at(-1)?.[info.id], { ttlMs: DAY_MS, ...binding }) }),
      ...list.rules,
      ...(!policies.isEmpty && { cacheScope: 'private' }),
      ...(list.missing.size > 0 && { _meta: { [UNAVAILABLE_META]: unavailable } }),
    }

    /** Returns the index after the last item of the previous page. */
    async function openCursor(token: unknown): Promise<number> {
      const last = typeof token === 'string' ? await sealer.open(PURPOSE, token, binding).catch(() => undefined) : undefined
      const at = items.findIndex((item) => item[info.id] === last)
      if (at < 0) throw invalidParams('the cursor has expired or is not valid for this list; start again without a cursor')
      return at + 1
    }
  }
}

/** @throws RpcError if a server is left out that may not be left out. */
export function failIfRequired({ missing }: Pick<MergedList, 'missing'>, upstreams: readonly GatewayUpstream[]): void {
  const required = upstreams.find(({ name, options }) => options.required && missing.has(name))
  if (!required) return
  const reason = messageOf(missing.get(required.name))
  throw new RpcError(ErrorCode.internalError, `The server ${required.name}, which is required, is not available: ${reason}`, {
    server: required.name,
  })
}
