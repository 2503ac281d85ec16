import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { plural } from '../../lib/format.ts'
import { copyText, notify, run } from '../../state/actions.ts'
import type { InspectorRecording, ReplayRun } from '../../state/protocol.ts'
import { go } from '../../state/route.ts'
import { store } from '../../state/store.ts'
import { Badge, Button, Callout, Empty, Failure } from '../../ui/basics.tsx'
import { Menu } from '../../ui/menu.tsx'
import { DiffTable } from '../compare/diff-table.tsx'

/** Recordings: opened without their servers, replayed against a server, or served to a client. */
export function RecordingsScreen(): JSX.Element {
  const recordings = [...store.recordings.value.values()].reverse()
  return (
    <div class="screen stack wide-gap">
      <header class="stack tight">
        <h1>Recordings</h1>
        <p class="lead">
          A recording is a file of messages without secrets. It opens without its server, and can be replayed against one.
        </p>
      </header>
      <ImportButton />
      {recordings.length === 0 ? (
        <Empty icon="record" title="No recordings yet">
          Choose "Record to a file" in the timeline, or open a file that someone has sent to you.
        </Empty>
      ) : (
        <ul class="stack">
          {recordings.map((recording) => (
            <li key={recording.id}>
              <Recording recording={recording} />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function ImportButton(): JSX.Element {
  const isOver = useSignal(false)
  const open = async (file: File | undefined): Promise<void> => {
    if (!file) return
    const imported = await run('import-recording', { name: file.name, text: await file.text() })
    if (imported) go({ screen: 'tools', serverId: imported.serverId })
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping a file is a shortcut for the button in it
    <div
      class={`drop ${isOver.value ? 'over' : ''}`}
      onDragOver={(event) => {
        event.preventDefault()
        isOver.value = true
      }}
      onDragLeave={() => (isOver.value = false)}
      onDrop={(event) => {
        event.preventDefault()
        isOver.value = false
        void open(event.dataTransfer?.files[0])
      }}
    >
      <label class="labeled">
        <span>Open a recording: choose a file, or drop one here</span>
        <input type="file" accept=".ndjson,.jsonl,.json" onChange={(event) => void open(event.currentTarget.files?.[0])} />
      </label>
    </div>
  )
}

const STATUS: { [status in InspectorRecording['status']]: string } = {
  writing: 'recording now',
  stopped: 'on disk',
  imported: 'opened',
}

function Recording({ recording }: { recording: InspectorRecording }): JSX.Element {
  const { id, name, status, path, serverId, messages } = recording
  const url = useSignal<string | undefined>(undefined)
  const replay = [...store.replays.value.values()].findLast(({ recordingId }) => recordingId === id)
  const servers = [...store.servers.value.values()].filter((server) => server.status === 'connected')
  const serve = async (): Promise<void> => {
    url.value = (await run('serve-recording', { recordingId: id, serve: url.value === undefined }))?.url
  }
  return (
    <article class="card stack tight">
      <header class="section-head">
        <h2 class="small-title">
          {name} <Badge tone={status === 'writing' ? 'bad' : 'neutral'}>{STATUS[status]}</Badge>
        </h2>
        <span class="muted">{plural(messages, 'message')}</span>
      </header>
      {path && <p class="mono muted small-text">{path}</p>}
      <div class="toolbar">
        {status === 'writing' && (
          <Button icon="stop" onClick={() => void stop(recording)}>
            Stop recording
          </Button>
        )}
        {serverId !== undefined && <Button onClick={() => go({ screen: 'tools', serverId })}>Show</Button>}
        {status === 'imported' && (
          <>
            <Menu
              label="Replay against"
              icon="play"
              disabled={servers.length === 0}
              items={servers.map((server) => ({
                id: server.id,
                label: server.name,
                onSelect: () => void run('start-replay', { serverId: server.id, recordingId: id }),
              }))}
            />
            <Button pressed={url.value !== undefined} onClick={() => void serve()}>
              {url.value === undefined ? 'Serve to a client' : 'Stop serving'}
            </Button>
          </>
        )}
      </div>
      {status === 'imported' && servers.length === 0 && <p class="muted small-text">Connect to a server to replay against it.</p>}
      {url.value !== undefined && (
        <Callout tone="accent" title="A client can connect to this recording:">
          <p class="toolbar">
            <code>{url.value}</code>
            <Button kind="quiet" icon="copy" onClick={() => void copyText(url.value ?? '')}>
              Copy
            </Button>
          </p>
        </Callout>
      )}
      {replay && <Replay run={replay} />}
    </article>
  )
}

async function stop({ id, name, path }: InspectorRecording): Promise<void> {
  const stopped = await run('stop-recording', { recordingId: id })
  if (stopped) notify(`Recorded ${stopped.messages} messages to ${path ?? name}`)
}

function Replay({ run: replay }: { run: ReplayRun }): JSX.Element {
  const { id, serverId, status, sent, total, differences, failure } = replay
  const server = store.servers.value.get(serverId)?.name ?? 'a server'
  return (
    <section class="stack tight" aria-label="Replay">
      <p class="toolbar">
        <strong>Replay against {server}</strong>
        <progress aria-label="Requests sent" value={sent} max={Math.max(1, total)} />
        <span class="muted">
          {sent} of {total}
        </span>
        {status === 'running' && (
          <Button icon="stop" onClick={() => void run('cancel-replay', { runId: id })}>
            Stop
          </Button>
        )}
      </p>
      {failure && <Failure failure={failure} />}
      {status === 'done' && differences.length === 0 && <Callout tone="good" title="The server answers as recorded." />}
      {differences.length > 0 && <DiffTable rows={differences} left="Recorded" right={server} />}
    </section>
  )
}
