import { KINDS, type KindInfo } from '../../compose/kinds.ts'
import type { Auth, Exchange, ExchangeContext } from '../../jsonrpc/exchange.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { readServerCapabilities } from '../../protocol/capabilities.ts'
import type { ServerCapabilities } from '../../protocol/types.ts'
import { setLru } from '../../util/lru.ts'
import type { Caller } from '../caller.ts'
import type { OnGatewayEvent } from '../events.ts'
import type { GatewayItemKind, GatewayPolicy } from '../policy.ts'
import { type CachedFetch, createCachedFetch, type Fetched, type Lookup } from './cached-fetch.ts'
import { checkItems } from './check-item.ts'
import { fetchPages, requestResult, rulesOf, type UpstreamList } from './fetch-list.ts'

/** What a server says about itself. */
export interface UpstreamInfo extends Fetched {
  readonly capabilities: ServerCapabilities
  /** The result of `server/discover`. */
  readonly discovered: JsonObject
}

/** What a server lists, as far as it is known. Lists of one caller are not shown to others, unless the server says that they are public. */
export interface Catalogue {
  /** Returns a list. Waits no longer than `waitMs`. */
  list(kind: GatewayItemKind, caller: Caller, waitMs: number): Promise<Lookup<UpstreamList>>
  /** Returns the list that was fetched last. */
  known(kind: GatewayItemKind, caller: Caller): UpstreamList | undefined
  discover(caller: Caller, waitMs: number): Promise<Lookup<UpstreamInfo>>
  knownInfo(caller: Caller): UpstreamInfo | undefined
  /** Makes the next lookup fetch the list again. Without a kind: everything. */
  invalidate(kind?: GatewayItemKind): void
  /** Forgets everything: what was fetched before is not used any more. */
  clear(): void
  /** The number of items that were listed last, by kind. */
  readonly counts: { readonly [kind: string]: number }
  /** The tools that were listed last. */
  readonly lastTools: UpstreamList['items'] | undefined
}

export interface CatalogueOptions {
  readonly server: string
  readonly exchange: () => Exchange
  readonly policies: () => readonly GatewayPolicy[]
  /** Returns since when all callers wait for the first connection, in milliseconds since 1970. */
  readonly waitingSince: () => number | undefined
  readonly onEvent: OnGatewayEvent
  /** A list has become available after a lookup gave up on it. */
  readonly onLate: (kind: GatewayItemKind | undefined) => void
  /** A list could not be fetched in a long time. */
  readonly onTimeout: (error: unknown) => void
}

/** What is known for callers that get the same lists. */
interface Shelf {
  readonly info: CachedFetch<UpstreamInfo>
  readonly lists: { readonly [kind in GatewayItemKind]: CachedFetch<UpstreamList> }
}

const MAX_SHELVES = 1000
const FETCH_TIMEOUT_MS = 60_000
const INFO_TTL_MS = 60_000

export function createCatalogue(options: CatalogueOptions): Catalogue {
  const { server, exchange, policies, waitingSince, onEvent, onLate, onTimeout } = options
  const shelves = new Map<string, Shelf>()
  /** The lists that the server declares to be public, by kind and client capabilities. */
  const shared = new Map<string, UpstreamList>()
  const counts: { [kind: string]: number } = {}
  let lastTools: UpstreamList['items'] | undefined
  /** Counts the changes of all lists: a list that was fetched before one is not shared after it. */
  let changes = 0

  const shelfOf = (caller: Caller): Shelf => {
    const shelf = shelves.get(caller.key) ?? createShelf(waitingSince)
    setLru(shelves, [caller.key, shelf], MAX_SHELVES)
    return shelf
  }
  const request = async (caller: Caller, method: string, params: JsonObject): Promise<JsonObject> => {
    const signal = AbortSignal.timeout(FETCH_TIMEOUT_MS)
    try {
      return await requestResult(
        exchange(),
        { method, params: { ...params, _meta: caller.sharedMeta } },
        createContext(signal, caller.auth),
      )
    } catch (error) {
      if (signal.aborted) onTimeout(signal.reason)
      throw error
    }
  }
  const fetchInfo = async (caller: Caller): Promise<UpstreamInfo> => {
    const discovered = await request(caller, 'server/discover', {})
    const { ttlMs } = rulesOf('server/discover', discovered)
    return {
      discovered,
      capabilities: readServerCapabilities(discovered.capabilities),
      freshUntil: Date.now() + Math.max(ttlMs, INFO_TTL_MS),
    }
  }
  const fetchList = async (info: KindInfo, caller: Caller): Promise<UpstreamList> => {
    const before = changes
    const { value, error } = await discover(caller, Infinity)
    if (!value) throw error
    if (!value.capabilities[info.capability])
      return { items: new Map(), ttlMs: INFO_TTL_MS, cacheScope: 'public', freshUntil: value.freshUntil }
    const { items, ...rules } = await fetchPages(
      (params) => request(caller, info.method, params),
      info,
      (message) => onEvent({ type: 'warning', server, message }),
    )
    let kept: readonly JsonObject[] = checkItems(items, { info, server, onEvent })
    for (const policy of policies()) kept = (await policy.listed?.(server, info.kind, kept)) ?? kept
    const list = { ...rules, items: indexItems(kept, info), freshUntil: Date.now() + rules.ttlMs }
    if (list.cacheScope === 'public' && rules.ttlMs > 0 && before === changes)
      setLru(shared, [sharedKey(info.kind, caller), list], MAX_SHELVES)
    counts[info.kind] = list.items.size
    if (info.kind === 'tool') lastTools = list.items
    return list
  }
  const indexItems = (list: readonly JsonObject[], info: KindInfo): Map<string, JsonObject> => {
    const items = new Map<string, JsonObject>()
    for (const item of list) {
      const name = String(item[info.id])
      if (!items.has(name)) items.set(name, item)
      else onEvent({ type: 'item-dropped', server, kind: info.kind, name, reason: `its ${info.id} is used twice` })
    }
    return items
  }
  const discover = (caller: Caller, waitMs: number): Promise<Lookup<UpstreamInfo>> =>
    shelfOf(caller).info.get({ fetch: () => fetchInfo(caller), waitMs, onLate: () => onLate(undefined) })

  return {
    counts,
    get lastTools() {
      return lastTools
    },
    discover,
    async list(kind, caller, waitMs) {
      const value = shared.get(sharedKey(kind, caller))
      if (value && value.freshUntil > Date.now()) return { value, error: undefined }
      return shelfOf(caller).lists[kind].get({ fetch: () => fetchList(KINDS[kind], caller), waitMs, onLate: () => onLate(kind) })
    },
    known: (kind, caller) => shelves.get(caller.key)?.lists[kind].last ?? shared.get(sharedKey(kind, caller)),
    knownInfo: (caller) => shelves.get(caller.key)?.info.last,
    clear() {
      changes++
      shared.clear()
      shelves.clear()
    },
    invalidate(kind) {
      changes++
      for (const key of shared.keys()) if (kind === undefined || key.startsWith(`${kind} `)) shared.delete(key)
      for (const { info, lists } of shelves.values()) {
        if (kind === undefined) info.invalidate()
        for (const info of Object.values(KINDS)) if (kind === undefined || kind === info.kind) lists[info.kind].invalidate()
      }
    },
  }
}

function createShelf(waitingSince: CatalogueOptions['waitingSince']): Shelf {
  return {
    info: createCachedFetch(waitingSince),
    lists: {
      tool: createCachedFetch(waitingSince),
      prompt: createCachedFetch(waitingSince),
      resource: createCachedFetch(waitingSince),
      template: createCachedFetch(waitingSince),
    },
  }
}

function sharedKey(kind: GatewayItemKind, { capabilitiesKey }: Caller): string {
  return `${kind} ${capabilitiesKey}`
}

/** Returns the context of a request that the gateway sends by itself. */
export function createContext(signal: AbortSignal, auth: Auth | undefined): ExchangeContext {
  return { signal, notify: () => {}, ...(auth && { auth }) }
}
