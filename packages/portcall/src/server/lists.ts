import { derive, keep } from '../jsonrpc/kept.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import type { CacheHint } from '../protocol/types.ts'
import type { Sealer } from '../stores/seal.ts'
import type { CallContext } from './call.ts'
import type { Described } from './define.ts'
import { page } from './paging.ts'
import type { Entry } from './registry.ts'
import { lacksScopes } from './scopes.ts'

/** An entry that can show itself in a list. */
export interface Listed<D extends Described = Described> extends Entry<D> {
  /** What the list says about it. */
  readonly wire: object
}

export interface ListOptions<W> {
  /** The member of the result that holds the items. */
  readonly key: string
  items(call: CallContext): readonly W[] | Promise<readonly W[]>
  keyOf(item: W): string
  /** Where an item stands, as far as that is known: paging is exact then. */
  positionOf?(item: W): number
  /** Whether callers may see different things: such a list is nobody else's to keep. */
  differs?(): boolean
  hint(): CacheHint
  readonly pageSize: number
  readonly sealer: Sealer
}

/** Tells whether a caller may see an item. */
export function isVisible(entry: Entry<Described>, call: CallContext): boolean | Promise<boolean> {
  const { definition } = entry
  if (definition.lackingScopes === 'hide' && lacksScopes(entry, call)) return false
  return definition.visible ? definition.visible(call) : true
}

/** What callers see of one registry. */
export interface Visible<W> {
  /** Where nothing is hidden this is one array, kept until something changes. */
  items(call: CallContext): readonly W[] | Promise<readonly W[]>
  positionOf(item: W): number
  /** Tells whether callers may see different things. */
  differs(): boolean
}

export function createVisible<W extends object>(offered: () => readonly Listed[]): Visible<W> {
  let last: readonly Listed[] | undefined
  let all: readonly W[] = []
  let hides = false
  let positions = new WeakMap<object, number>()
  const refresh = (entries: readonly Listed[]): void => {
    last = entries
    hides = entries.some(({ definition }) => definition.visible || (definition.scopes && definition.lackingScopes === 'hide'))
    all = keep(entries.map(({ wire }) => wire as W))
    positions = new WeakMap(entries.map(({ wire, order }) => [wire, order]))
  }
  return {
    items(call) {
      const entries = offered()
      if (entries !== last) refresh(entries)
      return hides ? visibleTo(entries, call) : all
    },
    positionOf: (item) => positions.get(item) ?? 0,
    differs: () => hides,
  }
}

async function visibleTo<W>(entries: readonly Listed[], call: CallContext): Promise<W[]> {
  const shown = await Promise.all(entries.map((entry) => isVisible(entry, call)))
  return entries.filter((_, index) => shown[index]).map(({ wire }) => wire as W)
}

/** Makes the handler of one list method. */
export function createList<W>(options: ListOptions<W>): (call: CallContext) => Promise<JsonObject> {
  const { key, keyOf, positionOf, differs, sealer, pageSize: size } = options
  return async (call) => {
    const cursor = call.request.params?.cursor ?? undefined
    const where = { cursor, size, keyOf, list: call.method, principal: call.auth?.principal, ...(positionOf && { positionOf }) }
    const { items: shown, nextCursor } = await page(await options.items(call), where, sealer)
    const hint = differs?.() ? { ...options.hint(), cacheScope: 'private' } : options.hint()
    if (nextCursor !== undefined) return { [key]: shown, nextCursor, ...hint }
    return derive(shown, options, () => ({ [key]: shown, ...hint }))
  }
}
