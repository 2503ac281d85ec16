import type { ListOptions } from './store.ts'

const DEFAULT_LIMIT = 1000

/** Picks, for backends that have all their keys at hand, what `Store.list` is to give. */
export function listKeys(keys: Iterable<string>, prefix: string, { after, limit = DEFAULT_LIMIT }: ListOptions = {}): string[] {
  const found: string[] = []
  for (const key of keys) if (key.startsWith(prefix) && (after === undefined || compareKeys(key, after) > 0)) found.push(key)
  return found.sort(compareKeys).slice(0, limit)
}

/** Compares texts by their bytes in UTF-8. Code units alone would put U+E000 to U+FFFF behind what is written in two. */
export function compareKeys(left: string, right: string): number {
  const end = Math.min(left.length, right.length)
  let at = 0
  while (at < end && left.charCodeAt(at) === right.charCodeAt(at)) at++
  return at === end ? left.length - right.length : rank(left.charCodeAt(at)) - rank(right.charCodeAt(at))
}

const rank = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800)
