import { markImmutable, memoize } from '../../../../util/src/memo.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import type { CacheHint } from '../../protocol/types.ts'
import type { Sealer } from '../../stores/sealing/seal.ts'
import type { CallContext } from '../call.ts'
import { isVisible } from './access.ts'
import { paginate } from './paging.ts'
import type { RegistryEntry } from './registry.ts'

export interface ListHandlerOptions<L> {
  /** Name of the result's member that holds the items. */
  readonly key: string
  items(call: CallContext): readonly L[] | Promise<readonly L[]>
  keyOf(item: L): string
  /** Position of an item in the whole list, which makes paging exact. */
  positionOf?(item: L): number
  /** Returns whether callers may see different items. The result must not be cached publicly then. */
  variesByCaller?(): boolean
  cacheHint(): CacheHint
  readonly pageSize: number
  readonly sealer: Sealer
}

/** The items of a registry that callers may see. */
export interface VisibleItems<L> {
  /** Returns the items that the caller may see. If nothing is hidden, the array is the same until the registry changes. */
  items(call: CallContext): readonly L[] | Promise<readonly L[]>
  positionOf(item: L): number
  /** Returns whether callers may see different items. */
  variesByCaller(): boolean
}

export function createVisibleItems<L extends object>(enabledEntries: () => readonly RegistryEntry[]): VisibleItems<L> {
  let last: readonly RegistryEntry[] | undefined
  let all: readonly L[] = []
  let varies = false
  let positions = new WeakMap<object, number>()
  const refresh = (entries: readonly RegistryEntry[]): void => {
    last = entries
    varies = entries.some(
      ({ definition }) => definition.visible || (definition.scopes && definition.onInsufficientScope === 'hide'),
    )
    all = markImmutable(entries.map(({ listing }) => listing as L))
    positions = new WeakMap(entries.map(({ listing, order }) => [listing, order]))
  }
  return {
    items(call) {
      const entries = enabledEntries()
      if (entries !== last) refresh(entries)
      return varies ? filterVisible(entries, call) : all
    },
    positionOf: (item) => positions.get(item) ?? 0,
    variesByCaller: () => varies,
  }
}

async function filterVisible<L>(entries: readonly RegistryEntry[], call: CallContext): Promise<L[]> {
  const visible = await Promise.all(entries.map((entry) => isVisible(entry, call)))
  return entries.filter((_, index) => visible[index]).map(({ listing }) => listing as L)
}

/** Creates the handler of a list method. */
export function createListHandler<L>(options: ListHandlerOptions<L>): (call: CallContext) => Promise<JsonObject> {
  const { key, keyOf, positionOf, variesByCaller, sealer, pageSize: size } = options
  return async (call) => {
    const cursor = call.request.params?.cursor ?? undefined
    const pageOptions = {
      cursor,
      size,
      keyOf,
      list: call.method,
      principal: call.auth?.principal,
      ...(positionOf && { positionOf }),
    }
    const { items, nextCursor } = await paginate(await options.items(call), pageOptions, sealer)
    const hint = variesByCaller?.() ? { ...options.cacheHint(), cacheScope: 'private' } : options.cacheHint()
    if (nextCursor !== undefined) return { [key]: items, nextCursor, ...hint }
    return memoize(items, options, () => ({ [key]: items, ...hint }))
  }
}
