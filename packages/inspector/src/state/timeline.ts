import type { HttpEntry, LogMessageEntry, StderrEntry, TimelineEntry } from './protocol.ts'

/** A log message, or what a program wrote to stderr. */
export type LogLine = LogMessageEntry | StderrEntry

/** The entries of the timeline, by id and in order. Not a signal itself: `version` in the store changes when it does. */
export interface Timeline {
  /** All entries, in the order of their ids. */
  readonly entries: readonly TimelineEntry[]
  /** The log messages and the lines of stderr among them. */
  readonly lines: readonly LogLine[]
  /** The ids of entries that were added, changed or dropped, and of those whose rows contain them. Who makes the rows removes the ids. */
  readonly changed: Set<number>
  get(id: number): TimelineEntry | undefined
  /** The HTTP exchange that carried a message. */
  http(httpId: number): HttpEntry | undefined
  /** The ids of the entries that belong to an entry, in order. */
  childrenOf(id: number): readonly number[]
  /** Adds or replaces entries. The one with the higher `seq` wins. */
  add(entries: readonly TimelineEntry[]): void
  /** Forgets the entries with a lower id. */
  dropBefore(firstId: number): void
  /** Forgets the entries of a server, or all. */
  clear(serverId?: string): void
}

/** Creates an empty timeline. What it does for an entry does not depend on how many there are. */
export function createTimeline(): Timeline {
  let entries: TimelineEntry[] = []
  let lines: LogLine[] = []
  const byId = new Map<number, TimelineEntry>()
  const exchanges = new Map<number, HttpEntry>()
  /** The first message of each exchange. */
  const carried = new Map<number, number>()
  const children = new Map<number, number[]>()
  const changed = new Set<number>()

  const index = (entry: TimelineEntry, known: TimelineEntry | undefined): void => {
    if (entry.type === 'http') exchanges.set(entry.httpId, entry)
    if (entry.type !== 'message') return
    if (entry.httpId !== undefined && !carried.has(entry.httpId)) carried.set(entry.httpId, entry.id)
    const { parentId } = entry
    if (parentId === undefined || (known?.type === 'message' && known.parentId === parentId)) return
    const siblings = children.get(parentId)
    if (siblings) siblings.push(entry.id)
    else children.set(parentId, [entry.id])
  }
  const unindex = (entry: TimelineEntry): void => {
    byId.delete(entry.id)
    children.delete(entry.id)
    changed.add(entry.id)
    if (entry.type === 'http') exchanges.delete(entry.httpId)
    if (entry.type === 'message' && entry.httpId !== undefined) carried.delete(entry.httpId)
  }
  /** Marks an entry, and the one whose rows contain it. */
  const mark = (id: number | undefined): void => {
    for (let at = id; at !== undefined; ) {
      const entry = byId.get(at)
      if (entry) changed.add(at)
      at = entry?.type === 'message' ? entry.parentId : undefined
    }
  }
  const markAll = (entry: TimelineEntry): void => {
    mark(entry.id)
    if (entry.type === 'message') mark(entry.pairId)
    if (entry.type === 'http') mark(carried.get(entry.httpId))
  }
  const addOne = (entry: TimelineEntry): void => {
    const known = byId.get(entry.id)
    if (known && known.seq > entry.seq) return
    byId.set(entry.id, entry)
    index(entry, known)
    put(entries, entry)
    if (isLine(entry)) put(lines, entry)
    markAll(entry)
  }
  /** Forgets entries. What belonged to them has rows of its own from now on. */
  const forget = (dropped: readonly TimelineEntry[]): void => {
    const orphans = dropped.flatMap((entry) => [...(children.get(entry.id) ?? []), ...pairOf(entry)])
    for (const entry of dropped) unindex(entry)
    for (const id of orphans) mark(id)
  }

  return {
    get entries() {
      return entries
    },
    get lines() {
      return lines
    },
    changed,
    get: (id) => byId.get(id),
    http: (httpId) => exchanges.get(httpId),
    childrenOf: (id) => children.get(id) ?? [],
    add(batch) {
      for (const entry of batch) addOne(entry)
    },
    dropBefore(firstId) {
      lines.splice(0, positionOf(lines, firstId))
      forget(entries.splice(0, positionOf(entries, firstId)))
    },
    clear(serverId) {
      const isKept = (entry: TimelineEntry): boolean => serverId !== undefined && entry.serverId !== serverId
      const dropped = entries.filter((entry) => !isKept(entry))
      entries = entries.filter(isKept)
      lines = lines.filter(isKept)
      forget(dropped)
    },
  }
}

const isLine = (entry: TimelineEntry): entry is LogLine => entry.type === 'log' || entry.type === 'stderr'

const pairOf = (entry: TimelineEntry): number[] => (entry.type === 'message' && entry.pairId !== undefined ? [entry.pairId] : [])

/** Adds an entry to a sorted list, or replaces it there. */
function put<Entry extends TimelineEntry>(list: Entry[], entry: Entry): void {
  const position = positionOf(list, entry.id)
  if (position === list.length) list.push(entry)
  else list.splice(position, list[position]?.id === entry.id ? 1 : 0, entry)
}

/** Returns the position of the first entry in a sorted list that has this id or a higher one. */
export function positionOf(list: readonly { readonly id: number }[], id: number): number {
  const last = list.at(-1)
  if (!last || last.id < id) return list.length
  let low = 0
  let high = list.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if ((list[middle]?.id ?? 0) < id) low = middle + 1
    else high = middle
  }
  return low
}
