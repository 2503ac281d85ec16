import type { ListOptions } from './store.ts'

/** So many keys are listed when nothing else is said. */
export const DEFAULT_LIMIT = 1000

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

/** The first text behind all that begin with a prefix, in the order of `compareKeys`; `null` when there is none. */
export function prefixEnd(prefix: string): string | null {
  const points = [...prefix]
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    const next = (last.codePointAt(0) ?? 0) + 1
    if (next <= 0x10ffff) return points.join('') + String.fromCodePoint(next === 0xd800 ? 0xe000 : next)
  }
  return null
}

const rank = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800)
