import { type Signal, signal } from '@preact/signals'

const drafts = new Map<string, Signal<unknown>>()
const PREFIX = 'portcall.draft.'
/** Larger drafts, such as files, are kept in memory only. */
const MAX_STORED = 100_000

/**
 * Returns what a person has typed into a form, kept until the tab is closed, also over a reload. Two views of the same key share it.
 */
export function draft<T>(key: string, initial: () => T): Signal<T> {
  const known = drafts.get(key)
  if (known) return known as Signal<T>
  const created = signal<T>((stored(key) as T | undefined) ?? initial())
  drafts.set(key, created as Signal<unknown>)
  created.subscribe((value) => store(key, value))
  return created
}

function stored(key: string): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(PREFIX + key) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

function store(key: string, value: unknown): void {
  try {
    const text = JSON.stringify(value)
    if (text === undefined || text.length > MAX_STORED) sessionStorage.removeItem(PREFIX + key)
    else sessionStorage.setItem(PREFIX + key, text)
  } catch {
    // Storage is full or forbidden: the draft lives in memory.
  }
}
