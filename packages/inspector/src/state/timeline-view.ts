import { computed, effect, type Signal, signal } from '@preact/signals'
import { send } from './api.ts'
import { draft } from './drafts.ts'
import { currentServerId } from './route.ts'
import { store } from './store.ts'
import { createRowList, type EntryKind, type TimelineFilter, type TimelineRow } from './timeline-rows.ts'

/** The kinds of entries that are switched off. */
export const hiddenKinds = signal<ReadonlySet<EntryKind>>(new Set())
/** The text that entries have to contain. */
export const filterText: Signal<string> = draft('filter', () => '')
/** True if only what failed or breaks a rule is shown. */
export const onlyProblems: Signal<boolean> = draft('only problems', () => false)
/** True if the entries of all servers are shown. */
export const allServers: Signal<boolean> = draft('all servers', () => false)
/** Entries that stay in sight whatever the filter says. */
export const pinned = signal<ReadonlySet<number>>(new Set())
/** The entry whose details are shown. */
export const selectedEntry = signal<number | undefined>(undefined)

/** The messages whose whole text the back end found to match. */
const matches = signal<ReadonlySet<number> | undefined>(undefined)

const filter = computed<TimelineFilter>(() => ({
  hidden: hiddenKinds.value,
  text: filterText.value.trim(),
  onlyProblems: onlyProblems.value,
  pinned: pinned.value,
  ...(matches.value && { matches: matches.value }),
  ...(!allServers.value && currentServerId.value !== undefined && { serverId: currentServerId.value }),
}))

/** The rows of the timeline, as the filter lets through. */
export const rows = signal<readonly TimelineRow[]>([])

const list = createRowList(store.timeline)

/** How often the rows are updated at most. */
const REFRESH_INTERVAL_MS = 100
/** The longest that an update takes before the page may do something else. */
const SLICE_MS = 8
const SEARCH_DELAY_MS = 250

/** Keeps `rows` up to date: at once when the filter changes, and in intervals while messages arrive. */
export function followTimeline(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let lastFilter: TimelineFilter | undefined
  let shownAt = 0
  const refresh = (): void => {
    const now = performance.now()
    const isComplete = list.update(filter.value, () => performance.now() > now + SLICE_MS)
    timer = isComplete ? undefined : setTimeout(refresh)
    if (!isComplete && (list.isPartial || now < shownAt + REFRESH_INTERVAL_MS)) return
    shownAt = now
    rows.value = list.rows
  }
  const stop = effect(() => {
    void store.timelineVersion.value
    if (filter.value !== lastFilter) {
      lastFilter = filter.value
      clearTimeout(timer)
      timer = setTimeout(refresh)
    } else timer ??= setTimeout(refresh, REFRESH_INTERVAL_MS)
  })
  const stopSearch = effect(() => searchLater(filterText.value.trim()))
  return () => {
    stop()
    stopSearch()
    clearTimeout(timer)
  }
}

function searchLater(query: string): () => void {
  const controller = new AbortController()
  matches.value = undefined
  const timer = setTimeout(async () => {
    if (query.length < 2) return
    const found = await send('search-timeline', { query }, controller.signal).catch(() => undefined)
    if (found && !controller.signal.aborted) matches.value = new Set(found.entryIds)
  }, SEARCH_DELAY_MS)
  return () => {
    clearTimeout(timer)
    controller.abort()
  }
}

/** Switches a kind of entries on or off. */
export function toggleKind(kind: EntryKind): void {
  hiddenKinds.value = toggled(hiddenKinds.value, kind)
}

/** Pins or unpins an entry. */
export function togglePin(id: number): void {
  pinned.value = toggled(pinned.value, id)
}

function toggled<T>(set: ReadonlySet<T>, item: T): ReadonlySet<T> {
  const next = new Set(set)
  if (!next.delete(item)) next.add(item)
  return next
}
