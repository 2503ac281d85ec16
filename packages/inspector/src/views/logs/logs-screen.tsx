import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useId } from 'preact/hooks'
import { formatTime } from '../../lib/format.ts'
import { operate } from '../../state/actions.ts'
import type { InspectorServer, LoggingLevel } from '../../state/protocol.ts'
import { store } from '../../state/store.ts'
import type { LogLine as Line } from '../../state/timeline.ts'
import { selectedEntry } from '../../state/timeline-view.ts'
import { Badge, Empty, type Tone } from '../../ui/basics.tsx'
import { Untrusted } from '../../ui/untrusted.tsx'
import { isTranslated } from '../requests/request-draft.ts'

const LEVELS: readonly LoggingLevel[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']
/** The messages that a level lets through, in words, where it is not the level "and above". */
const THRESHOLDS: { [level: string]: string } = { debug: 'everything', emergency: 'emergency only' }
const TONES: { [level: string]: Tone } = {
  warning: 'warn',
  error: 'bad',
  critical: 'bad',
  alert: 'bad',
  emergency: 'bad',
  debug: 'neutral',
}

/** The most lines that are shown; the timeline has all of them. */
const MAX_LINES = 500

/** The log messages of a server and what its program writes to stderr, newest last. */
export function LogsScreen({ server }: { server: InspectorServer }): JSX.Element {
  const query = useSignal('')
  const from = useSignal<LoggingLevel>('debug')
  const lines = useLines(server.id)
  /** In older revisions, the level is set with a method that only some servers have. */
  const canSetLevel = !isTranslated(server) || server.capabilities?.logging !== undefined
  const shown = lastOf(lines, (line) => isShown(line, from.value, query.value.toLowerCase()))
  return (
    <div class="stack logs">
      <div class="toolbar">
        {canSetLevel && <LevelOfServer server={server} />}
        <LevelSelect label="Show" value={from.value} onChange={(level) => (from.value = level)} />
        <input
          class="log-search"
          type="search"
          aria-label="Search the logs"
          placeholder="Search"
          value={query.value}
          onInput={(event) => (query.value = event.currentTarget.value)}
        />
      </div>
      {!canSetLevel && (
        <p class="muted small-text">
          The server does not declare the capability <code>logging</code>, so it cannot be asked for a level.
        </p>
      )}
      {lines.length === 0 ? (
        <Empty icon="list" title="No log messages yet">
          Messages of the server, and what its program writes to stderr, appear here.
        </Empty>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by keyboard
        <ol class="log-lines" tabIndex={0} aria-label="Log messages">
          {shown.map((line) => (
            <LogLine key={line.id} line={line} />
          ))}
          {shown.length === 0 && <li class="muted">Nothing matches.</li>}
        </ol>
      )}
    </div>
  )
}

const REFRESH_INTERVAL_MS = 200

/** Looks for new lines in intervals, because a server can write many at once. */
function useLines(serverId: string): readonly Line[] {
  const lines = useSignal<readonly Line[]>([])
  const version = store.timelineVersion.value
  useEffect(() => {
    const timer = setTimeout(
      () => {
        lines.value = store.timeline.lines.filter((line) => line.serverId === serverId)
      },
      lines.value.length === 0 ? 0 : REFRESH_INTERVAL_MS,
    )
    return () => clearTimeout(timer)
  }, [serverId, version])
  return lines.value
}

/** Returns the last lines that are shown, without looking at all others. */
function lastOf(lines: readonly Line[], isWanted: (line: Line) => boolean): Line[] {
  const wanted: Line[] = []
  for (let at = lines.length - 1; at >= 0 && wanted.length < MAX_LINES; at--) {
    const line = lines[at]
    if (line && isWanted(line)) wanted.push(line)
  }
  return wanted.reverse()
}

function isShown(line: Line, from: LoggingLevel, query: string): boolean {
  if (line.type === 'log' && LEVELS.indexOf(line.level) < LEVELS.indexOf(from)) return false
  return query === '' || textOf(line).toLowerCase().includes(query)
}

const textOf = (line: Line): string =>
  line.type === 'stderr' ? line.text : typeof line.data === 'string' ? line.data : JSON.stringify(line.data)

function LogLine({ line }: { line: Line }): JSX.Element {
  return (
    <li class="log-line">
      <span class="muted">{formatTime(line.time)}</span>
      {line.type === 'log' ? <Badge tone={TONES[line.level] ?? 'accent'}>{line.level}</Badge> : <Badge>stderr</Badge>}
      <span class="log-text">
        {line.type === 'log' && line.logger && (
          <span class="muted">
            <Untrusted text={line.logger} />{' '}
          </span>
        )}
        <Untrusted text={textOf(line).trimEnd()} />
      </span>
      {line.type === 'log' && line.messageId !== undefined && (
        <button type="button" class="chip" onClick={() => (selectedEntry.value = line.messageId)}>
          message
        </button>
      )}
    </li>
  )
}

interface LevelSelectProps {
  readonly label: string
  readonly value: LoggingLevel | ''
  readonly onChange: (level: LoggingLevel) => void
  /** The choice that is offered besides the levels. */
  readonly none?: string
}

function LevelSelect({ label, value, onChange, none }: LevelSelectProps): JSX.Element {
  const id = useId()
  return (
    <span class="inline-label">
      <label for={id}>{label}</label>
      <select
        id={id}
        class="inline-select"
        value={value}
        onChange={(event) => onChange(LEVELS.find((level) => level === event.currentTarget.value) ?? 'debug')}
      >
        {none !== undefined && <option value="">{none}</option>}
        {LEVELS.map((level) => (
          <option key={level} value={level}>
            {THRESHOLDS[level] ?? `${level} and above`}
          </option>
        ))}
      </select>
    </span>
  )
}

/** The level that the server is asked for: of the session, or of every later request. */
function LevelOfServer({ server }: { server: InspectorServer }): JSX.Element | null {
  if (server.status !== 'connected') return null
  const set = (level: LoggingLevel): void => void operate(server.id, { type: 'set-log-level', level })
  return <LevelSelect label="Ask the server to send" value={server.logLevel ?? ''} none="what it chooses" onChange={set} />
}
