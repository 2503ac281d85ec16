import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { run, saveFile } from '../../state/actions.ts'
import type { SavedCall, SavedCallOutcome } from '../../state/protocol.ts'
import { store } from '../../state/store.ts'
import { Badge, Button, Empty, Fold, IconButton } from '../../ui/basics.tsx'
import { Json } from '../../ui/json.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Untrusted } from '../../ui/untrusted.tsx'
import { AssertionEditor } from './assertion-editor.tsx'

/** Saved calls with what must hold for their results. `portcall` runs the same file in CI. */
export function SavedScreen(): JSX.Element {
  const calls = store.calls.value
  const outcomes = useSignal<ReadonlyMap<string, SavedCallOutcome>>(new Map())
  const servers = [...store.servers.value.values()].filter(({ status }) => status === 'connected')
  const runAll = async (serverId: string): Promise<void> => {
    const result = await run('run-calls', { serverId })
    if (result) outcomes.value = new Map(result.outcomes.map((outcome) => [outcome.id, outcome]))
  }
  const save = async (): Promise<void> => {
    const file = await run('export-calls', {})
    if (file) saveFile(file.fileName, file.mimeType, file.text)
  }
  return (
    <div class="screen stack wide-gap">
      <header class="stack tight">
        <h1>Saved calls</h1>
        <p class="lead">Calls that are kept with assertions, to run again here or in CI.</p>
      </header>
      {calls.length === 0 ? (
        <Empty icon="check" title="No saved calls yet">
          Choose "Save" next to the button that calls a tool.
        </Empty>
      ) : (
        <>
          <div class="toolbar">
            <Menu
              label="Run against"
              icon="play"
              disabled={servers.length === 0}
              items={servers.map(({ id, name }) => ({ id, label: name, onSelect: () => void runAll(id) }))}
            />
            <Button icon="save" onClick={() => void save()}>
              Export for CI
            </Button>
          </div>
          <ul class="stack">
            {calls.map((call) => (
              <li key={call.id}>
                <CallCard call={call} outcome={outcomes.value.get(call.id)} />
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}

function CallCard({ call, outcome }: { call: SavedCall; outcome: SavedCallOutcome | undefined }): JSX.Element {
  return (
    <article class="card stack tight">
      <header class="section-head">
        <h2 class="small-title">
          <Untrusted text={call.name} /> <span class="muted">{call.server}</span>
        </h2>
        <span class="toolbar">
          {outcome && <Badge tone={outcome.passed ? 'good' : 'bad'}>{outcome.passed ? 'passed' : 'failed'}</Badge>}
          <IconButton icon="trash" label={`Delete ${call.name}`} onClick={() => void run('delete-call', { id: call.id })} />
        </span>
      </header>
      {outcome?.failures.map(({ message }) => (
        <p key={message} class="bad-text">
          <Untrusted text={message} />
        </p>
      ))}
      <AssertionEditor call={call} />
      <Fold title="Request">
        <Json value={call.request} label="request" />
      </Fold>
    </article>
  )
}
