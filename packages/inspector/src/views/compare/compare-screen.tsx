import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { plural } from '../../lib/format.ts'
import { run } from '../../state/actions.ts'
import type { DiffReport, DiffSource } from '../../state/protocol.ts'
import { store } from '../../state/store.ts'
import { Button, Callout, Empty, Spinner } from '../../ui/basics.tsx'
import { Icon } from '../../ui/icon.tsx'
import { DiffTable } from './diff-table.tsx'

/** Compares two sides: servers, revisions of one server, recordings, or files. Only what differs is shown. */
export function CompareScreen(): JSX.Element {
  const left = useSignal<DiffSource | undefined>(undefined)
  const right = useSignal<DiffSource | undefined>(undefined)
  const report = useSignal<DiffReport | undefined>(undefined)
  const isRunning = useSignal(false)
  const choose = (side: typeof left, source: DiffSource | undefined): void => {
    side.value = source
    report.value = undefined
  }
  const compare = async (event: Event): Promise<void> => {
    event.preventDefault()
    if (!left.value || !right.value) return
    isRunning.value = true
    report.value = await run('diff', { left: left.value, right: right.value })
    isRunning.value = false
  }
  return (
    <div class="screen stack wide-gap">
      <header class="stack tight">
        <h1>Compare</h1>
        <p class="lead">Two servers, two revisions of one server, two recordings, or a server before and behind a gateway.</p>
      </header>
      <form class="compare-form" onSubmit={(event) => void compare(event)}>
        <SourcePicker label="Left" onChange={(source) => choose(left, source)} />
        <Icon name="compare" />
        <SourcePicker label="Right" onChange={(source) => choose(right, source)} />
        <Button kind="primary" type="submit" disabled={!left.value || !right.value || isRunning.value}>
          Compare
        </Button>
      </form>
      {isRunning.value && <Spinner label="Comparing" />}
      {report.value ? (
        <Report report={report.value} />
      ) : (
        <Empty icon="compare" title="Choose two sides">
          To compare two revisions, add the server twice and pin a revision for each. Schema changes that break clients are
          marked.
        </Empty>
      )}
    </div>
  )
}

function Report({ report: { left, right, rows } }: { report: DiffReport }): JSX.Element {
  const breaking = rows.filter((row) => row.breaking).length
  if (rows.length === 0) return <Callout tone="good" title={`${left} and ${right} are equal.`} />
  return (
    <section class="stack" aria-label="Differences">
      <p>
        <strong>{plural(rows.length, 'difference')}</strong>
        {breaking > 0 && `, ${breaking} of which can break clients`}
      </p>
      <DiffTable rows={rows} left={left} right={right} />
    </section>
  )
}

const FILE = 'file'

/** Chooses a side: a connected server, a recording, or a file of this machine. */
function SourcePicker({ label, onChange }: { label: string; onChange: (source: DiffSource | undefined) => void }): JSX.Element {
  const value = useSignal('')
  const servers = [...store.servers.value.values()].filter(({ status }) => status === 'connected')
  const recordings = [...store.recordings.value.values()].filter(({ status }) => status === 'imported')
  const choose = (next: string): void => {
    value.value = next
    const [kind, id = ''] = next.split(/ (.*)/s)
    if (kind === 'server') onChange({ type: 'server', serverId: id })
    else if (kind === 'recording') onChange({ type: 'recording', recordingId: id })
    else onChange(undefined)
  }
  const read = async (file: File | undefined): Promise<void> => {
    if (file) onChange({ type: 'text', name: file.name, text: await file.text() })
  }
  return (
    <div class="source-picker">
      <label class="labeled">
        <span>{label}</span>
        <select value={value.value} onChange={(event) => choose(event.currentTarget.value)}>
          <option value="">Choose</option>
          {servers.map(({ id, name, negotiation }) => (
            <option key={id} value={`server ${id}`}>
              {name} {negotiation?.revision}
            </option>
          ))}
          {recordings.map(({ id, name }) => (
            <option key={id} value={`recording ${id}`}>
              Recording {name}
            </option>
          ))}
          <option value={FILE}>A file</option>
        </select>
      </label>
      {value.value === FILE && (
        <input
          type="file"
          aria-label={`File of the ${label.toLowerCase()} side`}
          accept=".json,.ndjson,.har,.txt"
          onChange={(event) => void read(event.currentTarget.files?.[0])}
        />
      )}
    </div>
  )
}
