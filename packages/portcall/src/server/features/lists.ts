import { setLru } from '../../../../util/src/lru.ts'
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

/** Lists that differ by what callers may see are kept up to this number. */
const MAX_VISIBILITIES = 16

/** The items of a registry that callers may see. */
export interface VisibleItems<L> {
  /** Returns the items that the caller may see. Callers who see the same items get the same array until the registry changes. */
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
  let byVisibility = new Map<string, readonly L[]>()
  const refresh = (entries: readonly RegistryEntry[]): void => {
    last = entries
    varies = entries.some(
      ({ definition }) => definition.visible || (definition.scopes && definition.onInsufficientScope === 'hide'),
    )
    all = markImmutable(entries.map(({ listing }) => listing as L))
    byVisibility = new Map()
    positions = new WeakMap(entries.map(({ listing, order }) => [listing, order]))
  }
  const visibleItems = async (entries: readonly RegistryEntry[], call: CallContext): Promise<readonly L[]> => {
    // The registry may change meanwhile.
    const known = byVisibility
    const visible = await Promise.all(entries.map((entry) => isVisible(entry, call)))
    const key = visible.join()
    const items = known.get(key) ?? markImmutable(entries.filter((_, index) => visible[index]).map(({ listing }) => listing as L))
    setLru(known, [key, items], MAX_VISIBILITIES)
    return items
  }
  return {
    items(call) {
      const entries = enabledEntries()
      if (entries !== last) refresh(entries)
      return varies ? visibleItems(entries, call) : all
    },
    positionOf: (item) => positions.get(item) ?? 0,
    variesByCaller: () => varies,
  }
}

/** Creates the handler of a list method. */
export function createListHandler<L>(options: ListHandlerOptions<L>): (call: CallContext) => Promise<JsonObject> {
  const { key, keyOf, positionOf, variesByCaller, sealer, pageSize: size } = options
  return async (call) => {
    const pageOptions = {
      cursor: call.request.params?.cursor ?? undefined,
      size,
      keyOf,
      list: call.method,
      principal: call.auth?.principal,
      positionOf,
    }
    const page = await paginate(await options.items(call), pageOptions, sealer)
    return memoize(page, options, ({ items, ...rest }) => ({
      [key]: items,
      ...rest,
      ...options.cacheHint(),
      ...(variesByCaller?.() && { cacheScope: 'private' }),
    }))
  }
}
