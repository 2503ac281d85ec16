/** The text in which the lists of a server are kept. */

import { parseJson } from '../../../../util/src/parse-json.ts'
import { isObject } from '../../jsonrpc/message.ts'
import type { GatewayItemKind } from '../policy/types.ts'

/** The kinds of kept lists. `info` has one item: the description that the server gives of itself. */
export type KeptKind = GatewayItemKind | 'info'

/** A list that a server offered earlier. */
export interface KeptList {
  /** The items as the server sent them. */
  readonly items: readonly unknown[]
  /** Fetch time, in milliseconds since 1970. */
  readonly listedAt: number
  /** The digest of the items. */
  readonly digest: string
}

/** The kept lists of a server for callers with the same authorization. Equal lists of several sets of capabilities are kept once. */
export interface KeptRecord {
  readonly lists: { readonly [digest: string]: readonly unknown[] }
  readonly sets: readonly KeptSet[]
}

/** The lists of clients with the same capabilities. */
interface KeptSet {
  readonly capabilities: string
  readonly kinds: { readonly [kind: string]: { readonly list: string; readonly listedAt: number } }
}

export const EMPTY: KeptRecord = { lists: {}, sets: [] }

const MAX_LENGTH = 2_000_000
/** More than hosts with different capabilities that one person uses. */
const MAX_SETS = 8

/** Finds the list of clients with some capabilities. */
export function findKept({ lists, sets }: KeptRecord, kind: KeptKind, capabilities: string): KeptList | undefined {
  const found = sets.find((set) => set.capabilities === capabilities)?.kinds[kind]
  const items = found && lists[found.list]
  return items && { items, listedAt: found.listedAt, digest: found.list }
}

/** A list, by its digest, of clients with some capabilities. */
export interface ListToKeep {
  readonly capabilities: string
  readonly kind: KeptKind
  readonly list: string
  readonly items: readonly unknown[]
}

/** Adds a list, as that of the set that was used last. */
export function withList({ lists, sets }: KeptRecord, { capabilities, kind, list, items }: ListToKeep): KeptRecord {
  const kinds = sets.find((set) => set.capabilities === capabilities)?.kinds
  const others = sets.filter((set) => set.capabilities !== capabilities)
  const current = { capabilities, kinds: { ...kinds, [kind]: { list, listedAt: Date.now() } } }
  return withoutUnused({ lists: { ...lists, [list]: items }, sets: [...others, current].slice(-MAX_SETS) })
}

function withoutUnused({ lists, sets }: KeptRecord): KeptRecord {
  const used = new Set(sets.flatMap(({ kinds }) => Object.values(kinds).map(({ list }) => list)))
  return { lists: Object.fromEntries(Object.entries(lists).filter(([list]) => used.has(list))), sets }
}

/** Serializes a record. One that is too long loses the sets that were used least recently. */
export function formatKept(record: KeptRecord): string {
  const text = JSON.stringify(record)
  if (text.length <= MAX_LENGTH || record.sets.length === 0) return text
  return formatKept(withoutUnused({ ...record, sets: record.sets.slice(1) }))
}

/** Reads a record. Anything else, such as what another version wrote, counts as an empty one. */
export function parseKept(text: string): KeptRecord {
  const value: unknown = parseJson(text)
  if (!isObject(value) || !isObject(value.lists) || !Array.isArray(value.sets)) return EMPTY
  if (!Object.values(value.lists).every(Array.isArray) || !value.sets.every(isKeptSet)) return EMPTY
  return value as unknown as KeptRecord
}

function isKeptSet(value: unknown): boolean {
  const isKept = (kept: unknown): boolean => isObject(kept) && typeof kept.list === 'string' && typeof kept.listedAt === 'number'
  return (
    isObject(value) && typeof value.capabilities === 'string' && isObject(value.kinds) && Object.values(value.kinds).every(isKept)
  )
}
