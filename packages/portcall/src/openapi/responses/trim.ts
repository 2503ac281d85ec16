/** Selects parts of responses, and shortens those that are too long for a model. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'

/** Returns the parts of a value at some paths, such as `owner.login`. Arrays are followed. */
export function selectPaths(value: unknown, paths: readonly string[]): unknown {
  const tree: JsonObject = {}
  for (const path of paths) {
    let node = tree
    for (const step of path.split('.').filter((part) => part !== '' && part !== '[]')) {
      const name = step.replace(/\[\]$/, '')
      const next: JsonObject = isObject(node[name]) ? node[name] : {}
      node[name] = next
      node = next
    }
  }
  return pick(value, tree)
}

function pick(value: unknown, tree: JsonObject): unknown {
  if (Object.keys(tree).length === 0) return value
  if (Array.isArray(value)) return value.map((item) => pick(item, tree))
  if (!isObject(value)) return value
  const entries = Object.entries(tree).filter(([name]) => Object.hasOwn(value, name))
  return Object.fromEntries(entries.map(([name, subtree]) => [name, pick(value[name], subtree as JsonObject)]))
}

/** A value that was shortened to fit, and what was left out. */
export interface TrimmedValue {
  readonly value: unknown
  /** The parts that were left out, such as `items: 20 of 300`. Empty if nothing was. */
  readonly notes: readonly string[]
}

/** The longest lists and texts that are tried, one step after the other. */
const STEPS: readonly (readonly [items: number, characters: number])[] = [
  [1000, 20_000],
  [200, 10_000],
  [100, 5000],
  [50, 2000],
  [20, 1000],
  [10, 500],
  [5, 200],
  [2, 100],
  [1, 50],
]
const MAX_NOTES = 5

/** Shortens lists and texts until the JSON of a value has at most `maxChars` characters. The shape of the value stays. */
export function trimToFit(value: unknown, maxChars: number): TrimmedValue {
  if ((JSON.stringify(value)?.length ?? 0) <= maxChars) return { value, notes: [] }
  let trimmed: TrimmedValue = { value, notes: [] }
  for (const [items, characters] of STEPS) {
    const notes: string[] = []
    trimmed = { value: shortenValue(value, { items, characters, notes }, []), notes }
    if (JSON.stringify(trimmed.value).length <= maxChars) break
  }
  return { ...trimmed, notes: trimmed.notes.slice(0, MAX_NOTES) }
}

interface ShortenOptions {
  readonly items: number
  readonly characters: number
  readonly notes: string[]
}

function shortenValue(value: unknown, options: ShortenOptions, path: readonly string[]): unknown {
  const { items, characters, notes } = options
  const note = (kept: number, total: number, unit: string): void => {
    notes.push(`${path.join('.') || 'the response'}: ${kept} of ${total} ${unit}`)
  }
  if (typeof value === 'string') {
    if (value.length <= characters) return value
    note(characters, value.length, 'characters')
    return `${value.slice(0, characters)}…`
  }
  if (Array.isArray(value)) {
    if (value.length > items) note(items, value.length, 'items')
    return value.slice(0, items).map((item, index) => shortenValue(item, options, [...path, String(index)]))
  }
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shortenValue(item, options, [...path, name])]))
}
