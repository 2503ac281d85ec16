import type { HttpEntry, MessageEntry, TimelineEntry } from './protocol.ts'

/** The entries of the timeline, by id and in order. Not a signal itself: `version` in the store changes when it does. */
export interface Timeline {
  /** All entries, in the order of their ids. */
  readonly entries: readonly TimelineEntry[]
  get(id: number): TimelineEntry | undefined
  /** The HTTP exchange that carried a message. */
  http(httpId: number): HttpEntry | undefined
  /** The ids of the entries that belong to an entry, in order. */
  childrenOf(id: number): readonly number[]
  /** Adds or replaces entries. The one with the higher `seq` wins. */
  add(entries: readonly TimelineEntry[]): void
  /** Forgets the entries with a lower id. */
  dropBefore(firstId: number): void
  /** Forgets all entries. */
  clear(): void
}

/** Creates an empty timeline. */
export function createTimeline(): Timeline {
  let entries: TimelineEntry[] = []
  const positions = new Map<number, TimelineEntry>()
  const exchanges = new Map<number, HttpEntry>()
  const children = new Map<number, number[]>()
  let unsorted = false

  const index = (entry: TimelineEntry): void => {
    if (entry.type === 'http') exchanges.set(entry.httpId, entry)
    if (entry.type !== 'message' || entry.parentId === undefined) return
    const siblings = children.get(entry.parentId)
    if (!siblings) children.set(entry.parentId, [entry.id])
    else if (!siblings.includes(entry.id)) siblings.push(entry.id)
  }
  const unindex = (entry: TimelineEntry): void => {
    positions.delete(entry.id)
    children.delete(entry.id)
    if (entry.type === 'http') exchanges.delete(entry.httpId)
  }
  const addOne = (entry: TimelineEntry): void => {
    const known = positions.get(entry.id)
    if (known && known.seq > entry.seq) return
    positions.set(entry.id, entry)
    index(entry)
    if (known) {
      replaced.add(entry.id)
      return
    }
    const last = entries.at(-1)
    if (last && last.id > entry.id) unsorted = true
    entries.push(entry)
  }
  const replaced = new Set<number>()

  return {
    get entries() {
      return entries
    },
    get: (id) => positions.get(id),
    http: (httpId) => exchanges.get(httpId),
    childrenOf: (id) => children.get(id) ?? [],
    add(batch) {
      for (const entry of batch) addOne(entry)
      if (unsorted) entries.sort((a, b) => a.id - b.id)
      unsorted = false
      for (const id of replaced) {
        const entry = positions.get(id)
        if (entry) entries[positionOf(entries, id)] = entry
      }
      replaced.clear()
    },
    dropBefore(firstId) {
      const first = entries.findIndex(({ id }) => id >= firstId)
      const dropped = entries.splice(0, first < 0 ? entries.length : first)
      for (const entry of dropped) unindex(entry)
    },
    clear() {
      entries = []
      for (const map of [positions, exchanges, children]) map.clear()
    },
  }
}

/** Returns the position of an entry in a sorted list, by bisection. */
function positionOf(entries: readonly TimelineEntry[], id: number): number {
  let low = 0
  let high = entries.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if ((entries[middle]?.id ?? 0) < id) low = middle + 1
    else high = middle
  }
  return low
}

/** A kind of entries that the filter switches on and off. */
export type EntryKind = 'requests' | 'questions' | 'notifications' | 'http' | 'stderr' | 'connection'

/** What the timeline shows. */
export interface TimelineFilter {
  /** Only entries of this server. */
  readonly serverId?: string
  /** The kinds that are hidden. */
  readonly hidden: ReadonlySet<EntryKind>
  /** Only entries whose title or text contains this. */
  readonly text: string
  /** Ids of entries whose whole text contains `text`, as the back end found them. */
  readonly matches?: ReadonlySet<number>
  /** Only what failed or breaks a rule. */
  readonly onlyProblems: boolean
  /** Ids of entries that are kept in sight. */
  readonly pinned: ReadonlySet<number>
}

/** A row of the timeline: a request with its response, or another entry. */
export interface TimelineRow {
  readonly entry: TimelineEntry
  /** The response to a request. */
  readonly response?: MessageEntry
  /** The HTTP exchange that carried it. */
  readonly http?: HttpEntry
  /** How deep the row is in the tree. */
  readonly depth: number
}

/** Returns the rows of a timeline: a tree in the order of time, with responses merged into their requests. */
export function rowsOf(timeline: Timeline, filter: TimelineFilter): TimelineRow[] {
  const rows: TimelineRow[] = []
  for (const entry of timeline.entries) {
    if (isRoot(entry, timeline)) appendRow(entry, 0, { timeline, filter, rows })
  }
  return rows
}

interface Walk {
  readonly timeline: Timeline
  readonly filter: TimelineFilter
  readonly rows: TimelineRow[]
}

const MAX_DEPTH = 6

function appendRow(entry: TimelineEntry, depth: number, walk: Walk): void {
  const { timeline, filter, rows } = walk
  if (filter.serverId !== undefined && entry.serverId !== filter.serverId) return
  const row = rowOf(entry, depth, timeline)
  const isShown = isVisible(row, filter)
  if (isShown) rows.push(row)
  if (depth >= MAX_DEPTH) return
  for (const id of timeline.childrenOf(entry.id)) {
    const child = timeline.get(id)
    if (child && !isMergedResponse(child, timeline)) appendRow(child, isShown ? depth + 1 : depth, walk)
  }
}

function rowOf(entry: TimelineEntry, depth: number, timeline: Timeline): TimelineRow {
  if (entry.type !== 'message') return { entry, depth }
  const pair = entry.messageKind === 'request' && entry.pairId !== undefined ? timeline.get(entry.pairId) : undefined
  const http = entry.httpId === undefined ? undefined : timeline.http(entry.httpId)
  return { entry, depth, ...(pair?.type === 'message' && { response: pair }), ...(http && { http }) }
}

/** Entries that other rows contain: responses, children, HTTP exchanges that carried messages, log messages with a message. */
function isRoot(entry: TimelineEntry, timeline: Timeline): boolean {
  if (entry.type === 'message') {
    if (isMergedResponse(entry, timeline)) return false
    return entry.parentId === undefined || timeline.get(entry.parentId) === undefined
  }
  if (entry.type === 'log') return entry.messageId === undefined || timeline.get(entry.messageId) === undefined
  if (entry.type === 'http') return entry.purpose === 'auth' || isFailedExchange(entry)
  return entry.type !== 'progress'
}

const isFailedExchange = ({ status, state }: HttpEntry): boolean => state === 'failed' || (status ?? 0) >= 400

function isMergedResponse(entry: TimelineEntry, timeline: Timeline): boolean {
  if (entry.type !== 'message' || (entry.messageKind !== 'response' && entry.messageKind !== 'error')) return false
  return entry.pairId !== undefined && timeline.get(entry.pairId) !== undefined
}

/** Returns the kind of an entry in the filter. */
export function kindOfEntry(entry: TimelineEntry): EntryKind {
  if (entry.type === 'message') {
    if (entry.messageKind === 'notification') return 'notifications'
    return entry.messageKind === 'request' && entry.direction === 'in' ? 'questions' : 'requests'
  }
  if (entry.type === 'http' || entry.type === 'stderr' || entry.type === 'connection') return entry.type
  return 'notifications'
}

function isVisible(row: TimelineRow, { hidden, text, matches, onlyProblems, pinned }: TimelineFilter): boolean {
  const { entry, response } = row
  if (pinned.has(entry.id)) return true
  if (hidden.has(kindOfEntry(entry))) return false
  if (onlyProblems && !isProblem(row)) return false
  if (text === '') return true
  if (matches?.has(entry.id) || (response && matches?.has(response.id))) return true
  const needle = text.toLowerCase()
  return [titleOf(entry), subjectOf(entry), textOf(entry), response?.text ?? ''].some((part) =>
    part.toLowerCase().includes(needle),
  )
}

/** Reports whether a row shows something that went wrong. */
export function isProblem({ entry, response, http }: TimelineRow): boolean {
  const violations = [entry, response, http].some((one) => one && 'violations' in one && (one.violations?.length ?? 0) > 0)
  if (violations || response?.messageKind === 'error') return true
  if (entry.type === 'message')
    return entry.messageKind === 'invalid' || entry.messageKind === 'error' || entry.state === 'failed'
  if (entry.type === 'http') return isFailedExchange(entry)
  return entry.type === 'connection' && (entry.event === 'failed' || entry.event === 'warning')
}

/** Returns the main title of a row. */
export function titleOf(entry: TimelineEntry): string {
  if (entry.type === 'message') return entry.method ?? (entry.messageKind === 'invalid' ? 'not JSON-RPC' : entry.messageKind)
  if (entry.type === 'http') return `${entry.method} ${pathOf(entry.url)}`
  if (entry.type === 'log') return `log ${entry.level}`
  if (entry.type === 'connection') return entry.event
  return entry.type
}

/** Returns what the row is about: the tool, the text, the reason. */
export function subjectOf(entry: TimelineEntry): string {
  if (entry.type === 'message') return entry.subject ?? ''
  if (entry.type === 'http') return entry.failure ?? ''
  if (entry.type === 'connection') return entry.text
  if (entry.type === 'stderr') return entry.text.trimEnd()
  if (entry.type === 'log') return typeof entry.data === 'string' ? entry.data : JSON.stringify(entry.data)
  return ''
}

const textOf = (entry: TimelineEntry): string => (entry.type === 'message' ? entry.text : entry.type === 'http' ? entry.url : '')

function pathOf(url: string): string {
  try {
    const { host, pathname } = new URL(url)
    return host + pathname
  } catch {
    return url
  }
}
