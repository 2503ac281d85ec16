import type { JsonValue } from 'portcall/jsonrpc'
import type { TimelineEntry } from '../protocol/timeline.ts'
import type { TimelineState } from '../protocol.ts'
import type { EventHub } from '../state/event-hub.ts'

/** The data that the timeline keeps of an entry, besides what the page receives. */
export interface EntryDetails {
  /** The whole text of a message, if the entry has only the start of it. */
  readonly text?: string
  /** The message in the newest revision, if it differs from the one on the wire. `null`: it has none. */
  readonly newest?: JsonValue
  /** Headers before their secrets were masked. */
  readonly headers?: { readonly request: Readonly<Record<string, string>>; readonly response?: Readonly<Record<string, string>> }
}

/** An entry and its details. */
export interface StoredEntry {
  readonly entry: TimelineEntry
  readonly details: EntryDetails
}

type WithoutIds<Entry> = Entry extends TimelineEntry ? Omit<Entry, 'id' | 'seq'> : never

/** An entry before it is added. */
export type NewEntry = WithoutIds<TimelineEntry>

/** A bounded log of everything that happened. The oldest entries are dropped. */
export interface Timeline {
  /** The state for the page. */
  readonly state: TimelineState
  /** Adds an entry. Returns its id, also while paused. */
  add(entry: NewEntry, details?: EntryDetails): number
  /** Changes an entry. Does nothing if it has been dropped. */
  update(id: number, change: Partial<Record<string, unknown>>, details?: EntryDetails): void
  /** Returns an entry that has not been dropped. */
  get(id: number): StoredEntry | undefined
  /** Returns the entries that changed after a sequence number, in the order of their ids. */
  changedSince(seq: number): Iterable<TimelineEntry>
  /** Returns all entries, oldest first. */
  all(): Iterable<StoredEntry>
  /** Returns the ids of the entries that contain a text, newest first. */
  search(query: string, most: number): number[]
  /** Discards the entries of a server, or all. */
  clear(serverId?: string): void
  /** Sets how many entries are kept. */
  setLimit(limit: number): void
  /** Stops or continues adding entries. */
  pause(paused: boolean): void
  /** Calls the listener with each entry that is added or changed. */
  onEntry(listener: (stored: StoredEntry) => void): () => void
}

/** The most entries that can be kept. */
export const MAX_ENTRIES = 50_000
const MAX_BYTES = 128 * 1024 * 1024
const BATCH_MS = 20
const BATCH_SIZE = 500
const STATE_INTERVAL_MS = 250

/** Creates an empty timeline. Its changes are published in batches. */
export function createTimeline(hub: EventHub): Timeline {
  const entries = new Map<number, StoredEntry>()
  const listeners = new Set<(stored: StoredEntry) => void>()
  const dirty = new Set<number>()
  let [firstId, lastId, bytes, dropped, limit, paused] = [1, 0, 0, 0, MAX_ENTRIES, false]
  let timer: NodeJS.Timeout | undefined
  let isStatePending = false

  const state = (): TimelineState => ({ limit, size: entries.size, firstId, dropped, paused })
  const publishState = (): void => {
    if (isStatePending) return
    isStatePending = true
    setTimeout(() => {
      isStatePending = false
      hub.publish({ type: 'timeline', timeline: state() })
    }, STATE_INTERVAL_MS).unref()
  }
  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    const changed = [...dirty].sort((a, b) => a - b).flatMap((id) => entries.get(id)?.entry ?? [])
    dirty.clear()
    for (let at = 0; at < changed.length; at += BATCH_SIZE)
      hub.publish({ type: 'entries', entries: changed.slice(at, at + BATCH_SIZE) })
  }
  const put = (stored: StoredEntry): void => {
    const { id } = stored.entry
    bytes += sizeOf(stored) - sizeOf(entries.get(id))
    if (entries.size === 0) firstId = id
    entries.set(id, stored)
    dirty.add(id)
    timer ??= setTimeout(flush, BATCH_MS).unref()
    for (const listener of listeners) listener(stored)
  }
  const remove = (id: number): void => {
    bytes -= sizeOf(entries.get(id))
    entries.delete(id)
    dirty.delete(id)
    // Not the first key of the map: it keeps a place for each entry that was deleted, and would look at all of them.
    while (firstId <= lastId && !entries.has(firstId)) firstId++
    publishState()
  }
  const trim = (): void => {
    while (entries.size > limit || (bytes > MAX_BYTES && entries.size > 1)) {
      remove(firstId)
      dropped++
    }
  }

  hub.onFlush(flush)
  return {
    get state() {
      return state()
    },
    add(entry, details = {}) {
      const id = ++lastId
      if (paused) return id
      put({ entry: { ...entry, id, seq: hub.nextSeq() } as TimelineEntry, details })
      trim()
      return id
    },
    update(id, change, details = {}) {
      const stored = entries.get(id)
      if (!stored) return
      const entry = { ...stored.entry, ...change, seq: hub.nextSeq() } as TimelineEntry
      put({ entry, details: { ...stored.details, ...details } })
    },
    get: (id) => entries.get(id),
    *changedSince(seq) {
      for (const { entry } of entries.values()) if (entry.seq > seq) yield entry
    },
    all: () => entries.values(),
    search(query, most) {
      const wanted = query.toLowerCase()
      const found: number[] = []
      for (const [id, stored] of [...entries].reverse()) {
        if (textOf(stored).toLowerCase().includes(wanted)) found.push(id)
        if (found.length === most) break
      }
      return found
    },
    clear(serverId) {
      for (const [id, { entry }] of [...entries]) if (serverId === undefined || entry.serverId === serverId) remove(id)
      hub.publish({ type: 'cleared', ...(serverId !== undefined && { serverId }) })
    },
    setLimit(value) {
      limit = value
      trim()
      publishState()
    },
    pause(value) {
      paused = value
      publishState()
    },
    onEntry(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

const ENTRY_BYTES = 400

function sizeOf(stored: StoredEntry | undefined): number {
  if (!stored) return 0
  const { entry, details } = stored
  return ENTRY_BYTES + ('text' in entry ? entry.text.length : 0) + (details.text?.length ?? 0)
}

/** The text that a search looks at. */
function textOf({ entry, details }: StoredEntry): string {
  switch (entry.type) {
    case 'message':
      return `${entry.method ?? ''} ${entry.subject ?? ''} ${details.text ?? entry.text}`
    case 'http':
      return `${entry.method} ${entry.url} ${entry.status ?? ''} ${JSON.stringify(entry.responseHeaders ?? {})} ${entry.bodyText ?? ''}`
    case 'log':
      return `${entry.logger ?? ''} ${JSON.stringify(entry.data)}`
    case 'view':
      return `${entry.title} ${entry.text}`
    case 'progress':
      return entry.message ?? ''
    default:
      return entry.text
  }
}
