/** The answers of servers about themselves and their items. */

import { isJsonEqual } from '../../../../util/src/json-equal.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { readServerCapabilities } from '../../protocol/capabilities.ts'
import type { ServerCapabilities } from '../../protocol/types.ts'
import type { Caller } from '../policy/caller.ts'
import type { GatewayItemKind } from '../policy/types.ts'
import { type CachedFetch, createCachedFetch, type Fetched } from './cached-fetch.ts'
import { rulesOf, type UpstreamList } from './fetch-list.ts'
import type { KeptKind } from './kept-record.ts'

/** The description that a server gives of itself. */
export interface UpstreamInfo extends Fetched {
  readonly capabilities: ServerCapabilities
  /** The result of `server/discover`. */
  readonly discovered: JsonObject
}

/** The answers of servers, by kind. */
export type Answers = { readonly [kind in GatewayItemKind]: UpstreamList } & { readonly info: UpstreamInfo }

/** The answers for callers that get the same lists. */
export interface CallerCache {
  readonly fetched: { readonly [kind in KeptKind]: CachedFetch<Answers[kind]> }
  /** Kept answers, in place of those that have not been fetched yet. */
  readonly kept: Map<KeptKind, UpstreamList | UpstreamInfo>
}

/** Returns the cache of a caller. */
export type CacheOf = (caller: Caller) => CallerCache

/** Minimum lifetime of the result of `server/discover`, in milliseconds. */
export const INFO_TTL_MS = 60_000

export function createCallerCache(waitingSince: () => number | undefined): CallerCache {
  return {
    fetched: {
      info: createCachedFetch(waitingSince),
      tool: createCachedFetch(waitingSince),
      prompt: createCachedFetch(waitingSince),
      resource: createCachedFetch(waitingSince),
      template: createCachedFetch(waitingSince),
      event: createCachedFetch(waitingSince),
    },
    kept: new Map(),
  }
}

/** Reads the result of `server/discover`. */
export function toInfo(discovered: JsonObject): UpstreamInfo {
  const { ttlMs } = rulesOf('server/discover', discovered)
  return {
    discovered,
    capabilities: readServerCapabilities(discovered.capabilities),
    freshUntil: Date.now() + Math.max(ttlMs, INFO_TTL_MS),
  }
}

/** Reports whether two answers have the same content. */
export function isSameAnswer(
  one: UpstreamList | UpstreamInfo | undefined,
  other: UpstreamList | UpstreamInfo | undefined,
): boolean {
  if (!one || !other) return false
  return 'items' in one && 'items' in other
    ? isJsonEqual([...one.items], [...other.items])
    : 'discovered' in one && 'discovered' in other && isJsonEqual(one.discovered, other.discovered)
}

/** Returns items with those of an earlier list in place of equal ones; the earlier list itself if all are equal and in the same order. */
export function reuseEqual(items: UpstreamList['items'], earlier: UpstreamList['items'] | undefined): UpstreamList['items'] {
  if (!earlier) return items
  const entries = [...items].map(([name, item]) => {
    const known = earlier.get(name)
    return [name, known && isJsonEqual(known, item) ? known : item] as const
  })
  const order = [...earlier.values()]
  const isSame = entries.length === order.length && entries.every(([, item], at) => item === order[at])
  return isSame ? earlier : new Map(entries)
}
