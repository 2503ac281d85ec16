import type { HttpEntry, MessageEntry, TimelineEntry } from './protocol.ts'
import { positionOf, type Timeline } from './timeline.ts'

/** A kind of entries that the filter switches on and off. */
export type EntryKind = 'requests' | 'questions' | 'notifications' | 'http' | 'stderr' | 'connection' | 'view'

/** The filter of the timeline. */
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

/** The rows of a timeline: a tree in the order of time, with responses merged into their requests. */
export interface RowList {
  /** The rows as they are now. */
  readonly rows: readonly TimelineRow[]
  /** True if rows are missing because the filter has changed. */
  readonly isPartial: boolean
  /**
   * Makes the rows of changed entries again, and all rows if the filter is another one, until `isLate` returns true. Returns whether it is
   * complete. If not, call it again.
   */
  update(filter: TimelineFilter, isLate: () => boolean): boolean
}

/** A root of the tree, by its id, with the rows of everything below it. */
interface Block {
  readonly id: number
  readonly rows: readonly TimelineRow[]
}

/** Creates the rows of a timeline. */
export function createRowList(timeline: Timeline): RowList {
  const { changed } = timeline
  let blocks: Block[] = []
  let filter: TimelineFilter | undefined
  let isPartial = false

  const startAnew = (next: TimelineFilter): void => {
    filter = next
    isPartial = true
    blocks = []
    for (const { id } of timeline.entries) changed.add(id)
  }
  const rebuild = (id: number, current: TimelineFilter): void => {
    changed.delete(id)
    const entry = timeline.get(id)
    const made = entry && isRoot(entry, timeline) ? rowsBelow(entry, timeline, current) : []
    const position = positionOf(blocks, id)
    const isKnown = blocks[position]?.id === id
    if (made.length > 0 || isKnown) blocks.splice(position, isKnown ? 1 : 0, ...(made.length > 0 ? [{ id, rows: made }] : []))
  }

  return {
    get rows() {
      return blocks.flatMap((block) => block.rows)
    },
    get isPartial() {
      return isPartial
    },
    update(next, isLate) {
      if (next !== filter) startAnew(next)
      for (const id of changed) {
        rebuild(id, next)
        if (isLate()) return false
      }
      isPartial = false
      return true
    },
  }
}

function rowsBelow(root: TimelineEntry, timeline: Timeline, filter: TimelineFilter): TimelineRow[] {
  const rows: TimelineRow[] = []
  if (filter.serverId === undefined || root.serverId === filter.serverId) appendRow(root, 0, { timeline, filter, rows })
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
  if (entry.type === 'http' || entry.type === 'stderr' || entry.type === 'connection' || entry.type === 'view') return entry.type
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
  if (entry.type === 'view') return entry.event !== 'message'
  return entry.type === 'connection' && (entry.event === 'failed' || entry.event === 'warning')
}

/** Returns the main title of a row. */
export function titleOf(entry: TimelineEntry): string {
  if (entry.type === 'message') return entry.method ?? (entry.messageKind === 'invalid' ? 'not JSON-RPC' : entry.messageKind)
  if (entry.type === 'http') return `${entry.method} ${pathOf(entry.url)}`
  if (entry.type === 'log') return `log ${entry.level}`
  if (entry.type === 'connection') return entry.event
  if (entry.type === 'view') return entry.event === 'message' ? entry.title : `${entry.event}: ${entry.title}`
  return entry.type
}

/** Returns what the row is about: the tool, the text, the reason. */
export function subjectOf(entry: TimelineEntry): string {
  if (entry.type === 'message') return entry.subject ?? ''
  if (entry.type === 'http') return entry.failure ?? ''
  if (entry.type === 'connection') return entry.text
  if (entry.type === 'view' && entry.event === 'message') return entry.from === 'host' ? 'to the view' : 'from the view'
  if (entry.type === 'view') return entry.text
  if (entry.type === 'stderr') return entry.text.trimEnd()
  if (entry.type === 'log') return typeof entry.data === 'string' ? entry.data : JSON.stringify(entry.data)
  return ''
}

function textOf(entry: TimelineEntry): string {
  if (entry.type === 'message' || entry.type === 'view') return entry.text
  return entry.type === 'http' ? entry.url : ''
}

function pathOf(url: string): string {
  try {
    const { host, pathname } = new URL(url)
    return host + pathname
  } catch {
    return url
  }
}
