import { describe } from './describe.ts'

/** Reports whether a name matches a pattern in which `*` stands for any characters. */
export type NameMatcher = (name: string) => boolean

/** Creates a matcher of several patterns. It takes time in proportion to the length of the name, whatever the pattern. */
export function createNameMatcher(patterns: readonly string[]): NameMatcher {
  if (!Array.isArray(patterns) || !patterns.every((pattern) => typeof pattern === 'string'))
    throw new TypeError(`Patterns of names must be an array of texts, such as ["github__*"], not ${describe(patterns)}`)
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
