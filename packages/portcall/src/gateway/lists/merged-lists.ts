import { errorMessage } from '../../../../util/src/errors.ts'
import { setLru } from '../../../../util/src/lru.ts'
import { ORIGIN_META } from '../../compose/origin.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { isObject } from '../../jsonrpc/message.ts'
import { isViewUri, mapViewUris } from '../../protocol/apps.ts'
import type { OnGatewayEvent } from '../api/events.ts'
import type { Caller } from '../policy/caller.ts'
import { GATEWAY_KINDS, isNamedKind, type NamedItemKind } from '../policy/item-kinds.ts'
import type { GatewayItem, GatewayItemKind } from '../policy/types.ts'
import type { CurrentTable } from '../routes/table.ts'
import type { UriRoutes } from '../routes/uris.ts'
import { type CacheRules, mergeRules, type UpstreamList } from '../upstreams/fetch-list.ts'
import type { GatewayUpstream } from '../upstreams/upstream.ts'

/** An item of the gateway. */
export interface MergedItem extends GatewayItem {
  readonly upstream: GatewayUpstream
  readonly definition: JsonObject
  /** The name, URI or URI template under which the gateway offers the item. */
  readonly exposed: string
  /** The item as the gateway lists it. */
  readonly listed: JsonObject
}

/** The items of one kind of all servers. */
export interface MergedList {
  readonly rules: CacheRules
  /** The items by their exposed name, in the order of the servers. */
  readonly items: ReadonlyMap<string, MergedItem>
  /** The servers that are left out, and why. */
  readonly missing: ReadonlyMap<string, unknown>
  /** Fetch times of the kept lists of missing servers, in milliseconds since 1970. */
  readonly kept: ReadonlyMap<string, number>
}

/** Merges the lists of all servers. */
export interface MergedLists {
  /** Returns a list, with the servers that respond in time. */
  get(kind: GatewayItemKind, caller: Caller): Promise<MergedList>
  /** Returns the list that was merged last for such a caller. */
  known(kind: GatewayItemKind, caller: Caller): MergedList | undefined
  /** Forgets everything, because the servers have changed. */
  reset(): void
}

export interface MergedListsOptions {
  readonly registry: CurrentTable
  readonly onEvent: OnGatewayEvent
}

const MAX_MERGED = 1000

/** Items that were merged before: the lists of several callers have most of them in common. */
interface MergedItems {
  /** Returns the item of a candidate, if it was merged under this name. */
  get(candidate: Candidate, exposed: string): MergedItem | undefined
  add(item: MergedItem): MergedItem
}

/** A merged list, and the lists it was made from. */
interface Merge {
  readonly sources: readonly (UpstreamList | undefined)[]
  readonly list: MergedList
}

export function createMergedLists({ registry, onEvent }: MergedListsOptions): MergedLists {
  let merges = new Map<string, Merge>()
  let mergedItems = createMergedItems()
  const keyOf = (kind: GatewayItemKind, caller: Caller): string => `${kind} ${caller.key}`

  const exposeNames = async (kind: NamedItemKind, items: readonly Candidate[]): Promise<readonly (string | undefined)[]> =>
    registry.table.names[kind].expose(
      items.map(({ upstream, name }) => ({ server: upstream.alias, name: upstream.filters[kind].rename(name) })),
    )
  const exposeUris = (items: readonly Candidate[]): readonly string[] => {
    const { uris } = registry.table
    const taken = new Set<string>()
    return items.map(({ upstream, name }) => {
      // Tools name their views with the mark.
      const own = isViewUri(name) ? uris.markView(upstream.name, name) : name
      const exposed = taken.has(own) || (own === name && uris.unmark(name)) ? uris.mark(upstream.name, name) : own
      taken.add(exposed)
      return exposed
    })
  }
  const merge = async (
    kind: GatewayItemKind,
    sources: ReadonlyMap<GatewayUpstream, UpstreamList>,
    known: MergedItems,
  ): Promise<ReadonlyMap<string, MergedItem>> => {
    const candidates = [...sources].flatMap(([upstream, list]) => candidatesOf(kind, upstream, list))
    const exposed = isNamedKind(kind) ? await exposeNames(kind, candidates) : exposeUris(candidates)
    const items = new Map<string, MergedItem>()
    for (const [index, candidate] of candidates.entries()) {
      const name = exposed[index]
      if (name !== undefined && !items.has(name))
        items.set(name, known.get(candidate, name) ?? known.add(toMergedItem(candidate, name, registry.table.uris)))
      else onEvent({ type: 'item-dropped', server: candidate.server, kind, name: candidate.name, reason: 'its name is taken' })
    }
    return items
  }

  return {
    known: (kind, caller) => merges.get(keyOf(kind, caller))?.list,
    reset() {
      merges = new Map()
      mergedItems = createMergedItems()
    },
    async get(kind, caller) {
      const [known, knownItems] = [merges, mergedItems]
      const servers = registry.table.upstreams
      const lookups = await Promise.all(servers.map((server) => server.catalogue.list(kind, caller, server.listWaitMs)))
      const sources = lookups.map(({ value }) => value)
      const missing = new Map(
        servers.flatMap((server, index) => (lookups[index]?.error ? [[server.name, lookups[index].error]] : [])),
      )
      const previous = known.get(keyOf(kind, caller))
      const isSame = previous?.sources.length === sources.length && previous.sources.every((source, at) => source === sources[at])
      if (isSame && sameReasons(previous.list.missing, missing)) return previous.list
      const available = new Map(servers.flatMap((server, at) => (sources[at] ? [[server, sources[at]] as const] : [])))
      const items = isSame ? previous.list.items : await merge(kind, available, knownItems)
      const kept = new Map([...available].flatMap(([{ name }, { keptSince }]) => (keptSince ? [[name, keptSince] as const] : [])))
      const list: MergedList = { items, missing, kept, rules: rulesOfAll([...available.values()], missing.size > 0) }
      setLru(known, [keyOf(kind, caller), { sources, list }], MAX_MERGED)
      return list
    },
  }
}

/** An item that a server offers. */
type Candidate = GatewayItem & { readonly upstream: GatewayUpstream; readonly definition: JsonObject }

function candidatesOf(kind: GatewayItemKind, upstream: GatewayUpstream, { items }: UpstreamList): Candidate[] {
  const filter = upstream.filters[kind]
  return [...items]
    .filter(([name]) => filter.accepts(name))
    .map(([name, definition]) => ({ kind, upstream, server: upstream.name, name, definition }))
}

function createMergedItems(): MergedItems {
  const items = new WeakMap<JsonObject, MergedItem>()
  return {
    get({ kind, upstream, name, definition }, exposed) {
      const item = items.get(definition)
      const isSame = item?.exposed === exposed && item.kind === kind && item.upstream === upstream && item.name === name
      return isSame ? item : undefined
    },
    add(item) {
      items.set(item.definition, item)
      return item
    },
  }
}

function toMergedItem(candidate: Candidate, exposed: string, uris: UriRoutes): MergedItem {
  const { kind, server, name, definition } = candidate
  const { id } = GATEWAY_KINDS[kind]
  const meta = isObject(definition._meta) ? definition._meta : {}
  const origin = exposed === name ? undefined : { [ORIGIN_META]: { server, [id]: name } }
  const _meta = { ...mapViewUris(meta, (uri) => uris.markView(server, uri)), ...(ORIGIN_META in meta ? undefined : origin) }
  const listed = { ...definition, [id]: exposed, ...(Object.keys(_meta).length > 0 && { _meta }) }
  return { ...candidate, exposed, listed }
}

function rulesOfAll(lists: readonly UpstreamList[], isIncomplete: boolean): CacheRules {
  const rules = lists.reduce<CacheRules>(mergeRules, { ttlMs: Infinity, cacheScope: 'public' })
  return isIncomplete || rules.ttlMs === Infinity ? { ...rules, ttlMs: 0 } : rules
}

/** Reports whether the same servers are missing for the same reasons. */
function sameReasons(one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): boolean {
  const isSame = ([server, error]: [string, unknown]): boolean =>
    other.has(server) && errorMessage(other.get(server)) === errorMessage(error)
  return one.size === other.size && [...one].every(isSame)
}
