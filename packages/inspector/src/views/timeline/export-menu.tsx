import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { formatCount, plural } from '../../lib/format.ts'
import { run, saveFile } from '../../state/actions.ts'
import type { ExportFile, ExportFormat } from '../../state/protocol.ts'
import { currentServerId } from '../../state/route.ts'
import { allServers } from '../../state/timeline-view.ts'
import { Button, Callout } from '../../ui/basics.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Code } from '../../ui/json.tsx'
import { Menu } from '../../ui/menu.tsx'

const FORMATS: readonly { format: ExportFormat; label: string; note: string }[] = [
  { format: 'html', label: 'HTML page', note: 'one file to read' },
  { format: 'ndjson', label: 'Recording', note: 'NDJSON' },
  { format: 'har', label: 'HAR 1.2', note: 'HTTP' },
  { format: 'snapshot', label: 'Snapshot', note: 'JSON' },
]

/** Exports the timeline. What will be shared is shown first. */
export function ExportMenu(): JSX.Element {
  const file = useSignal<ExportFile | undefined>(undefined)
  const start = async (format: ExportFormat): Promise<void> => {
    const serverId = allServers.value ? undefined : currentServerId.value
    file.value = await run('export', { format, ...(serverId !== undefined && { serverIds: [serverId] }) })
  }
  const items = FORMATS.map(({ format, label, note }) => ({ id: format, label, note, onSelect: () => void start(format) }))
  return (
    <>
      <Menu label="Export" icon="save" iconOnly kind="quiet" items={items} />
      {file.value && <Preview file={file.value} onClose={() => (file.value = undefined)} />}
    </>
  )
}

const MAX_PREVIEW = 20_000

/** The content of an export, before it is saved. */
export function Preview({ file, onClose }: { file: ExportFile; onClose: () => void }): JSX.Element {
  const { fileName, mimeType, text, messages, redactions } = file
  const save = (): void => {
    saveFile(fileName, mimeType, text)
    onClose()
  }
  return (
    <Dialog title={`Export ${fileName}`} onClose={onClose}>
      <div class="stack">
        <p>{plural(messages, 'message')}</p>
        {redactions.length === 0 ? (
          <Callout title="No secrets were found in it." />
        ) : (
          <Callout tone="good" title="These secrets were replaced:">
            <p class="mono">{redactions.map(({ name, count }) => `${name} × ${count}`).join(', ')}</p>
          </Callout>
        )}
        <Code text={text.slice(0, MAX_PREVIEW)} label="preview" language="text" wrap copy={false} />
        {text.length > MAX_PREVIEW && (
          <p class="muted small-text">
            These are the first {formatCount(MAX_PREVIEW)} of {formatCount(text.length)} characters. The file has them all.
          </p>
        )}
        <div class="toolbar">
          <span class="spread" />
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" icon="save" onClick={save}>
            Save
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
