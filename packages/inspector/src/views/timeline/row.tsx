import type { JSX } from 'preact'
import { formatBytes, formatDuration, formatTime } from '../../lib/format.ts'
import { store, waitingEntries } from '../../state/store.ts'
import { isProblem, subjectOf, type TimelineRow, titleOf } from '../../state/timeline-rows.ts'
import { allServers, pinned, selectedEntry } from '../../state/timeline-view.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { Untrusted } from '../../ui/untrusted.tsx'

/** The id of the element of a row, for screen readers. */
export const rowId = (entryId: number): string => `entry-${entryId}`

/** Longer subjects are cut, because a row is one line. */
const MAX_SUBJECT = 300

/** One line of the timeline. */
export function Row({ row }: { row: TimelineRow }): JSX.Element {
  const { entry, depth } = row
  const isSelected = selectedEntry.value === entry.id
  const subject = subjectOf(entry).slice(0, MAX_SUBJECT)
  const level = entry.type === 'log' ? LEVEL_TONE[entry.level] : undefined
  const tone = `${isProblem(row) ? 'problem' : ''} ${level ?? ''}`
  const shownDepth = depth === 0 ? undefined : Math.min(depth, 5)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the list keeps the focus
    <div
      id={rowId(entry.id)}
      role="option"
      aria-selected={isSelected}
      class={`row ${tone}`}
      onClick={() => {
        selectedEntry.value = isSelected ? undefined : entry.id
      }}
    >
      {/* Each part has the marks that its looks depend on: Chromium does not always apply those of the row to its parts when the row is reused. */}
      <span class="row-time">{formatTime(entry.time)}</span>
      <span class="row-main" data-depth={shownDepth}>
        <DirectionIcon row={row} tone={tone} />
        <span class={`row-title ${tone} kind-${entry.type}`}>{titleOf(entry)}</span>
        {subject && (
          <span class="row-subject">
            <Untrusted text={subject} />
          </span>
        )}
        {allServers.value && <span class="row-server">{store.servers.value.get(entry.serverId)?.name}</span>}
      </span>
      <RowMarks row={row} />
      <RowFigures row={row} />
    </div>
  )
}

const LEVEL_TONE: { [level: string]: string } = {
  warning: 'warned',
  error: 'problem',
  critical: 'problem',
  alert: 'problem',
  emergency: 'problem',
}

function DirectionIcon({ row: { entry }, tone }: { row: TimelineRow; tone: string }): JSX.Element {
  const [icon, label] = iconOf(entry)
  return (
    <span class={`row-direction ${entry.type === 'message' ? entry.direction : ''} ${tone}`} title={label}>
      <Icon name={icon} />
      <span class="visually-hidden">{label}</span>
    </span>
  )
}

function iconOf(entry: TimelineRow['entry']): [IconName, string] {
  if (entry.type === 'message') {
    if (entry.messageKind === 'request' && entry.direction === 'in') return ['question', 'Question of the server']
    return entry.direction === 'out' ? ['out', 'Sent'] : ['in', 'Received']
  }
  if (entry.type === 'view') return entry.from === 'host' ? ['out', 'To the view'] : ['in', 'From the view']
  return OTHER_ICONS[entry.type]
}

const OTHER_ICONS: { [type in 'http' | 'log' | 'stderr' | 'progress' | 'connection']: [IconName, string] } = {
  http: ['server', 'HTTP'],
  log: ['list', 'Log message'],
  stderr: ['list', 'stderr'],
  progress: ['pulse', 'Progress'],
  connection: ['info', 'Connection'],
}

function RowMarks({ row }: { row: TimelineRow }): JSX.Element {
  const { entry, response } = row
  const violations = [entry, response].flatMap((one) => (one && 'violations' in one ? (one.violations ?? []) : []))
  return (
    <span class="row-marks">
      {pinned.value.has(entry.id) && <Icon name="pin" class="small" />}
      {waitingEntries.value.has(entry.id) && <span class="badge accent">waiting for you</span>}
      {violations.length > 0 && (
        <span class="badge bad" title={violations.map(({ message }) => message).join('\n')}>
          {violations[0]?.rule}
          {violations.length > 1 && ` +${violations.length - 1}`}
        </span>
      )}
      {[entry, response].some((one) => one?.type === 'message' && one.isLossy) && (
        <span class="badge warn" title="A part of the message has no place in the other revision: see “Newest revision”">
          not translated in full
        </span>
      )}
      {response?.messageKind === 'error' && <span class="badge bad">error</span>}
      {entry.type === 'message' && entry.state === 'failed' && !response && <span class="badge bad">no response</span>}
      {entry.type === 'message' && entry.state === 'cancelled' && <span class="badge warn">cancelled</span>}
    </span>
  )
}

function RowFigures({ row: { entry, response, http } }: { row: TimelineRow }): JSX.Element {
  const isPending = entry.type === 'message' && entry.state === 'pending'
  const duration = 'durationMs' in entry ? entry.durationMs : undefined
  const status = entry.type === 'http' ? entry.status : http?.status
  const bytes =
    entry.type === 'message' ? entry.bytes + (response?.bytes ?? 0) : entry.type === 'http' ? entry.responseBytes : undefined
  return (
    <span class="row-figures">
      <span>{isPending ? <span class="row-pending">pending</span> : duration !== undefined && formatDuration(duration)}</span>
      <span class={status !== undefined && status >= 400 ? 'bad-text' : ''}>{status}</span>
      <span>{bytes !== undefined && formatBytes(bytes)}</span>
    </span>
  )
}
