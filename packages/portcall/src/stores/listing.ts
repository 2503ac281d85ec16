import type { KeyListOptions } from './store.ts'

/** The number of keys that `list` returns by default. */
export const DEFAULT_LIMIT = 1000

/** Implements `KeyValueStore.list` for backends that can iterate over all their keys. */
export function listKeys(
  keys: Iterable<string>,
  prefix: string,
  { after, limit = DEFAULT_LIMIT }: KeyListOptions = {},
): string[] {
  const matches: string[] = []
  for (const key of keys) if (key.startsWith(prefix) && (after === undefined || compareKeys(key, after) > 0)) matches.push(key)
  return matches.sort(compareKeys).slice(0, limit)
}

/** Compares two texts by their UTF-8 bytes. UTF-16 code units alone would sort U+E000 to U+FFFF after surrogate pairs. */
export function compareKeys(left: string, right: string): number {
  const end = Math.min(left.length, right.length)
  let at = 0
  while (at < end && left.charCodeAt(at) === right.charCodeAt(at)) at++
  return at === end ? left.length - right.length : rank(left.charCodeAt(at)) - rank(right.charCodeAt(at))
}

/**
 * Returns the smallest text that is greater than every text with the prefix, in the order of `compareKeys`. Returns `null` if there is
 * none.
 */
export function prefixEnd(prefix: string): string | null {
  const points = [...prefix]
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    const next = (last.codePointAt(0) ?? 0) + 1
    if (next <= 0x10ffff) return points.join('') + String.fromCodePoint(next === 0xd800 ? 0xe000 : next)
  }
  return null
}

const rank = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800)
