import type { ItemRules } from '../options.ts'

/** Reports whether a name matches a pattern in which `*` stands for any characters. */
export type NameMatcher = (name: string) => boolean

/** Creates a matcher of several patterns. It takes time in proportion to the length of the name, whatever the pattern. */
export function createNameMatcher(patterns: readonly string[]): NameMatcher {
  const exact = new Set(patterns.filter((pattern) => !pattern.includes('*')))
  const wildcards = patterns.filter((pattern) => pattern.includes('*')).map((pattern) => pattern.split('*'))
  return (name) => exact.has(name) || wildcards.some((parts) => matchesParts(name, parts))
}

/** Finds the parts of a pattern one after another. */
function matchesParts(name: string, parts: readonly string[]): boolean {
  const first = parts[0] ?? ''
  const last = parts.at(-1) ?? ''
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false
  const end = name.length - last.length
  let at = first.length
  for (const part of parts.slice(1, -1)) {
    const found = name.indexOf(part, at)
    if (found < 0 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}

/** The items of one kind that a server offers. */
export interface ItemFilter {
  /** Reports whether the item is offered. */
  accepts(name: string): boolean
  /** Returns the name under which the item is offered. */
  rename(name: string): string
  /** Returns the name on the server, or `undefined` if there is no such item. */
  original(name: string): string | undefined
}

/** Creates the filter that follows the rules. @throws TypeError if two items are renamed to the same name. */
export function createItemFilter({ include, exclude = [], rename = {} }: ItemRules = {}): ItemFilter {
  const isIncluded = include ? createNameMatcher(include) : () => true
  const isExcluded = createNameMatcher(exclude)
  const renamed = new Map(Object.entries(rename))
  const originals = new Map(Object.entries(rename).map(([name, other]) => [other, name]))
  if (originals.size < renamed.size) throw new TypeError('rename gives several items the same name')
  const accepts = (name: string): boolean => isIncluded(name) && !isExcluded(name)
  return {
    accepts,
    rename: (name) => renamed.get(name) ?? name,
    original(name) {
      const original = originals.get(name) ?? (renamed.has(name) ? undefined : name)
      return original !== undefined && accepts(original) ? original : undefined
    },
  }
}
