import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { formatCount, plural } from '../../lib/format.ts'
import { run, startedOperation } from '../../state/actions.ts'
import { isTimelineOpen } from '../../state/preferences.ts'
import { currentServerId } from '../../state/route.ts'
import { store } from '../../state/store.ts'
import type { EntryKind } from '../../state/timeline-rows.ts'
import {
  allServers,
  filterText,
  followTimeline,
  hiddenKinds,
  onlyProblems,
  pinned,
  rows,
  selectedEntry,
  toggleKind,
} from '../../state/timeline-view.ts'
import { Empty, IconButton } from '../../ui/basics.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Menu } from '../../ui/menu.tsx'
import { VirtualList } from '../../ui/virtual-list.tsx'
import { Splitter } from '../shell/splitter.tsx'
import { Drawer } from './drawer.tsx'
import { ExportMenu } from './export-menu.tsx'
import { RecordButton } from './record-button.tsx'
import { Row, rowId } from './row.tsx'

const ROW_HEIGHT = 28

const KINDS: readonly { kind: EntryKind; label: string }[] = [
  { kind: 'requests', label: 'Requests' },
  { kind: 'questions', label: 'Questions' },
  { kind: 'notifications', label: 'Notifications' },
  { kind: 'http', label: 'HTTP' },
  { kind: 'stderr', label: 'stderr' },
  { kind: 'connection', label: 'Connection' },
  { kind: 'view', label: 'Views' },
]

/** Every message, below all screens, with the details of the selected one beside it. */
export function TimelinePanel(): JSX.Element {
  useEffect(followTimeline, [])
  useEffect(() => closeOther(currentServerId.value), [currentServerId.value])
  return (
    <section class={`timeline ${isTimelineOpen.value ? '' : 'closed'}`} aria-label="Timeline">
      <Splitter />
      <TimelineBar />
      {isTimelineOpen.value && (
        <div class={`timeline-body ${selectedEntry.value === undefined ? '' : 'with-drawer'}`}>
          <TimelineList />
          {selectedEntry.value !== undefined && <Drawer key={selectedEntry.value} entryId={selectedEntry.value} />}
        </div>
      )}
    </section>
  )
}

/** Closes the message of another server than the one that is shown. */
function closeOther(serverId: string | undefined): void {
  const entry = selectedEntry.peek() === undefined ? undefined : store.timeline.get(selectedEntry.peek() ?? 0)
  if (entry && serverId !== undefined && entry.serverId !== serverId && !allServers.peek()) selectedEntry.value = undefined
}

function TimelineBar(): JSX.Element {
  const { paused, limit, dropped } = store.timelineState.value
  const shown = rows.value.length
  const isFiltered = hiddenKinds.value.size > 0 || onlyProblems.value || filterText.value !== ''
  return (
    <div class="timeline-bar">
      <button
        type="button"
        class="timeline-title"
        aria-expanded={isTimelineOpen.value}
        onClick={() => (isTimelineOpen.value = !isTimelineOpen.value)}
      >
        <Icon name="chevron" class="small" />
        Timeline
      </button>
      {isTimelineOpen.value && (
        <>
          <span class="search timeline-search">
            <Icon name="search" />
            <input
              type="search"
              aria-label="Filter the timeline"
              placeholder="Filter by method, tool or text"
              value={filterText.value}
              onInput={(event) => {
                filterText.value = event.currentTarget.value
              }}
            />
          </span>
          <KindMenu />
          <button
            type="button"
            class="toggle"
            aria-pressed={onlyProblems.value}
            onClick={() => (onlyProblems.value = !onlyProblems.value)}
          >
            Problems
          </button>
          {currentServerId.value !== undefined && store.servers.value.size > 1 && (
            <button
              type="button"
              class="toggle"
              aria-pressed={allServers.value}
              onClick={() => (allServers.value = !allServers.value)}
            >
              All servers
            </button>
          )}
        </>
      )}
      <span class="timeline-count" title={`The last ${formatCount(limit)} entries are kept`}>
        {isFiltered ? `${formatCount(shown)} shown` : plural(shown, 'message')}
        {dropped > 0 && `, ${formatCount(dropped)} dropped`}
      </span>
      <RecordButton />
      <ExportMenu />
      <IconButton
        icon={paused ? 'play' : 'pause'}
        label={paused ? 'Continue the timeline' : 'Pause the timeline'}
        pressed={paused}
        onClick={() => void run('pause-timeline', { paused: !paused })}
      />
      <IconButton icon="trash" label="Clear the timeline" onClick={() => void clear()} />
    </div>
  )
}

function KindMenu(): JSX.Element {
  const items = KINDS.map(({ kind, label }) => ({
    id: kind,
    label,
    checked: !hiddenKinds.value.has(kind),
    onSelect: () => toggleKind(kind),
  }))
  return <Menu label="Kinds" kind="quiet" items={items} />
}

async function clear(): Promise<void> {
  const serverId = allServers.value ? undefined : currentServerId.value
  selectedEntry.value = undefined
  pinned.value = new Set()
  await run('clear-timeline', serverId === undefined ? {} : { serverId })
}

function TimelineList(): JSX.Element {
  const list = rows.value
  const follow = useSignal(true)
  // Whoever starts something wants to see its messages, wherever the list was scrolled to.
  useEffect(() => {
    follow.value = true
  }, [startedOperation.value])
  const index = useMemo(
    () => (selectedEntry.value === undefined ? -1 : list.findIndex(({ entry }) => entry.id === selectedEntry.value)),
    [list, selectedEntry.value],
  )
  const move = (step: number): void => {
    const next = list[Math.min(list.length - 1, Math.max(0, index + step))]
    if (next) {
      follow.value = false
      selectedEntry.value = next.entry.id
    }
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = STEPS[event.key]
    if (step === undefined) return
    event.preventDefault()
    move(step === Number.POSITIVE_INFINITY ? list.length : step === Number.NEGATIVE_INFINITY ? -list.length : step)
  }
  if (list.length === 0) return <NoMessages />
  return (
    <VirtualList
      count={list.length}
      rowHeight={ROW_HEIGHT}
      label="Messages"
      follow={follow.value && selectedEntry.value === undefined}
      reveal={index >= 0 ? index : undefined}
      onScroll={(atEnd) => {
        follow.value = atEnd
      }}
      onKeyDown={onKeyDown}
      active={index >= 0 ? rowId(selectedEntry.value ?? 0) : undefined}
      row={(at) => {
        const row = list[at]
        return row ? <Row row={row} /> : <span />
      }}
    />
  )
}

const STEPS: { [key: string]: number } = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 10,
  PageUp: -10,
  End: Number.POSITIVE_INFINITY,
  Home: Number.NEGATIVE_INFINITY,
}

function NoMessages(): JSX.Element {
  const isFiltered = hiddenKinds.value.size > 0 || onlyProblems.value || filterText.value !== ''
  if (isFiltered)
    return (
      <Empty icon="search" title="Nothing matches the filter">
        Clear the filter to see all messages.
      </Empty>
    )
  return (
    <Empty icon="pulse" title="No messages yet">
      Connect to a server. Every message in both directions appears here.
    </Empty>
  )
}
