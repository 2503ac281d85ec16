import type { SubscriptionFilter } from '../../protocol/types.ts'

/** A subscription filter: each key is `true`, or lists what to report. */
export type Filter = SubscriptionFilter

/** Returns a filter that accepts what any of the filters accepts, with its lists in order. */
export function uniteFilters(filters: readonly Filter[]): Filter {
  const united: { [key: string]: unknown } = {}
  for (const filter of filters)
    for (const [key, value] of Object.entries(filter)) {
      const before = united[key]
      if (Array.isArray(value)) united[key] = Array.isArray(before) ? [...new Set([...before, ...value])] : [...value]
      else if (value === true) united[key] = true
    }
  for (const [key, value] of Object.entries(united)) if (Array.isArray(value)) united[key] = [...value].sort()
  return united as Filter
}

export function isEmptyFilter(filter: Filter): boolean {
  return Object.values(filter).every((value) => value !== true && !(Array.isArray(value) && value.length > 0))
}

export function isSameFilter(one: Filter, other: Filter): boolean {
  return JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort())
}

/** Returns the part of a filter that a server has accepted. */
export function acceptedPart(filter: Filter, accepted: Filter): Filter {
  const part: { [key: string]: unknown } = {}
  for (const [key, value] of Object.entries(filter)) {
    const granted = accepted[key]
    if (!Array.isArray(value)) part[key] = value
    else if (granted === true) part[key] = value
    else if (Array.isArray(granted)) part[key] = value.filter((subject) => (granted as readonly unknown[]).includes(subject))
  }
  return part as Filter
}
