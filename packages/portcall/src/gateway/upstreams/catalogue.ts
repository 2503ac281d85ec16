import { setLru } from '../../../../util/src/lru.ts'
import type { Caller } from '../policy/caller.ts'
import { GATEWAY_KINDS, type GatewayKindInfo } from '../policy/item-kinds.ts'
import type { GatewayItemKind } from '../policy/types.ts'
import { type AnswerReaderOptions, createAnswerReader } from './answer-reader.ts'
import {
  type Answers,
  type CallerCache,
  createCallerCache,
  INFO_TTL_MS,
  isSameAnswer,
  reuseEqual,
  type UpstreamInfo,
} from './answers.ts'
import type { CachedFetch, Lookup } from './cached-fetch.ts'
import type { UpstreamList } from './fetch-list.ts'
import type { KeptKind } from './kept-record.ts'
import { createStandIns } from './stand-ins.ts'

/** The cached lists of a server. A caller gets the lists of other callers only if the server declares them public. */
export interface Catalogue {
  /** Returns a list. Waits no longer than `waitMs`. Without an answer of the server, it is the list that was kept, if there is one. */
  list(kind: GatewayItemKind, caller: Caller, waitMs: number): Promise<Lookup<UpstreamList>>
  /** Returns the list that was fetched last, or the kept one that was returned in its place. */
  known(kind: GatewayItemKind, caller: Caller): UpstreamList | undefined
  discover(caller: Caller, waitMs: number): Promise<Lookup<UpstreamInfo>>
  knownInfo(caller: Caller): UpstreamInfo | undefined
  /** Makes the next lookup fetch the list again. Without a kind: everything. */
  invalidate(kind?: GatewayItemKind): void
  /** Deletes all lists. */
  clear(): void
  /** Waits until the lists are kept. */
  close(): Promise<void>
  /** The number of items that were listed last, by kind. */
  readonly counts: { readonly [kind: string]: number }
  /** The tools that were listed last. */
  readonly lastTools: UpstreamList['items'] | undefined
  /** Fetch time of the oldest kept list that was returned and has not been replaced since, in milliseconds since 1970. */
  readonly keptSince: number | undefined
}

export interface CatalogueOptions extends AnswerReaderOptions {
  /** Returns the time since which all callers wait for the first connection, in milliseconds since 1970. */
  readonly waitingSince: () => number | undefined
  /** A list has arrived after a lookup stopped waiting for it. */
  readonly onListArrived: (kind: GatewayItemKind | undefined) => void
  /** Returns how long a list waits if there is a kept one, in milliseconds. */
  readonly keptWaitMs: () => number
  /** Reports whether the last connection succeeded. */
  readonly isReady: () => boolean
  /** Reports whether an error means that the server starts or is unavailable, as opposed to an answer of the server. */
  readonly isUnavailable: (error: unknown) => boolean
}

/** The wait of a lookup, and the kept answer if the server is unavailable. */
interface Waiting<K extends KeptKind> {
  readonly waitMs: number
  readonly standIn?: Answers[K] | undefined
}

const MAX_CALLERS = 1000

export function createCatalogue(options: CatalogueOptions): Catalogue {
  const { waitingSince, onListArrived, kept: keptLists } = options
  const reader = createAnswerReader(options)
  const caches = new Map<string, CallerCache>()
  /** The lists that the server declares to be public, by kind and client capabilities. */
  const shared = new Map<string, UpstreamList>()
  const counts: { [kind: string]: number } = {}
  /** The items that were listed last, by kind. */
  const last = new Map<GatewayItemKind, UpstreamList['items']>()
  /** Counts the changes of all lists: a list that was fetched before one is not shared after it. */
  let changes = 0

  const cacheOf = (caller: Caller): CallerCache => {
    const cache = caches.get(caller.key) ?? createCallerCache(waitingSince)
    setLru(caches, [caller.key, cache], MAX_CALLERS)
    return cache
  }
  const standIns = createStandIns({ kept: keptLists, reader, cacheOf, isReady: options.isReady, changes: () => changes })
  const fetchList = async (info: GatewayKindInfo, caller: Caller): Promise<UpstreamList> => {
    const before = changes
    const { value, error } = await currentInfo(caller, { waitMs: Infinity })
    if (!value) throw error
    if (!info.isDeclared(value.capabilities)) {
      if (keptLists?.isDue(info.kind, caller)) keptLists.keep(info.kind, caller, [])
      return { items: new Map(), ttlMs: INFO_TTL_MS, cacheScope: 'public', freshUntil: value.freshUntil }
    }
    const fetched = await reader.fetchList(info, caller)
    // Clients with different capabilities mostly get the same items. They are kept in memory once.
    const list = { ...fetched, items: reuseEqual(fetched.items, last.get(info.kind)) }
    if (list.cacheScope === 'public' && list.ttlMs > 0 && before === changes)
      setLru(shared, [sharedKey(info.kind, caller), list], MAX_CALLERS)
    counts[info.kind] = list.items.size
    last.set(info.kind, list.items)
    return list
  }
  const currentInfo = (caller: Caller, { waitMs, standIn }: Waiting<'info'>): Promise<Lookup<UpstreamInfo>> =>
    lookUp('info', caller, { waitMs, standIn, fetch: () => reader.fetchInfo(caller) })
  /** Waits for the server. If it is unavailable, the answer is the kept one. */
  const lookUp = async <K extends KeptKind>(
    kind: K,
    caller: Caller,
    { waitMs, standIn, fetch }: Waiting<K> & { readonly fetch: () => Promise<Answers[K]> },
  ): Promise<Lookup<Answers[K]>> => {
    const { fetched, kept } = cacheOf(caller)
    const cached: CachedFetch<Answers[K]> = fetched[kind]
    const lookup = await cached.get({
      fetch,
      waitMs: standIn ? Math.min(waitMs, options.keptWaitMs()) : waitMs,
      onArrived() {
        if (!isSameAnswer(standIn, cached.last)) onListArrived(kind === 'info' ? undefined : kind)
      },
    })
    if (lookup.value) kept.delete(kind)
    return lookup.value || !options.isUnavailable(lookup.error) ? lookup : { value: standIn, error: lookup.error }
  }

  return {
    counts,
    get lastTools() {
      return last.get('tool')
    },
    get keptSince() {
      const lists = [...caches.values()].flatMap(({ kept }) => [...kept.values()])
      const since = lists.flatMap((list) => ('keptSince' in list ? (list.keptSince ?? []) : []))
      return since.length > 0 ? Math.min(...since) : undefined
    },
    async discover(caller, waitMs) {
      return currentInfo(caller, { waitMs, standIn: await standIns.info(caller) })
    },
    async list(kind, caller, waitMs) {
      const value = shared.get(sharedKey(kind, caller))
      if (value && value.freshUntil > Date.now()) return { value, error: undefined }
      const standIn = await standIns.list(kind, caller)
      return lookUp(kind, caller, { waitMs, standIn, fetch: () => fetchList(GATEWAY_KINDS[kind], caller) })
    },
    known(kind, caller) {
      const cache = caches.get(caller.key)
      const kept = cache?.kept.get(kind) as UpstreamList | undefined
      return cache?.fetched[kind].last ?? shared.get(sharedKey(kind, caller)) ?? kept
    },
    knownInfo: (caller) => caches.get(caller.key)?.fetched.info.last,
    clear() {
      changes++
      shared.clear()
      caches.clear()
    },
    close: async () => keptLists?.close(),
    invalidate(kind) {
      changes++
      keptLists?.changed()
      for (const key of shared.keys()) if (kind === undefined || key.startsWith(`${kind} `)) shared.delete(key)
      for (const { fetched, kept } of caches.values()) {
        kept.clear()
        for (const [each, answer] of Object.entries(fetched)) if (kind === undefined || kind === each) answer.invalidate()
      }
    },
  }
}

function sharedKey(kind: GatewayItemKind, { capabilitiesKey }: Caller): string {
  return `${kind} ${capabilitiesKey}`
}
