import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { run } from '../../state/actions.ts'
import type { ServerSource, SourceServer } from '../../state/protocol.ts'
import { Badge, Button, Callout } from '../../ui/basics.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Untrusted } from '../../ui/untrusted.tsx'
import { addServer } from '../shell/connecting.ts'

/** The servers that the applications on this machine are configured with, those of a file, and the saved ones. */
export function Sources(): JSX.Element | null {
  const sources = useSignal<readonly ServerSource[] | undefined>(undefined)
  useEffect(() => {
    void run('list-sources', {}).then((listed) => {
      sources.value = listed?.sources ?? []
    })
  }, [])
  const addFile = (source: ServerSource): void => {
    sources.value = [source, ...(sources.value ?? []).filter(({ path }) => path !== source.path)]
  }
  const shown = (sources.value ?? []).filter(({ servers, failure }) => servers.length > 0 || failure)
  return (
    <section class="sources" aria-labelledby="sources-title">
      <header class="section-head">
        <h2 id="sources-title">On this machine</h2>
        <OpenFile onOpen={addFile} />
      </header>
      {sources.value !== undefined && shown.length === 0 && (
        <p class="muted">
          No application on this machine is configured with MCP servers. Open a configuration file to choose from its servers.
        </p>
      )}
      {shown.map((source) => (
        <Source key={source.path} source={source} />
      ))}
    </section>
  )
}

function OpenFile({ onOpen }: { onOpen: (source: ServerSource) => void }): JSX.Element {
  const path = useSignal('')
  const open = async (event: Event): Promise<void> => {
    event.preventDefault()
    const read = await run('read-config', { path: path.value })
    if (!read) return
    onOpen(read.source)
    path.value = ''
  }
  return (
    <form class="open-file" onSubmit={(event) => void open(event)}>
      <input
        class="mono"
        aria-label="Path of a configuration file"
        placeholder="Path of a configuration file"
        value={path.value}
        onInput={(event) => {
          path.value = event.currentTarget.value
        }}
      />
      <Button type="submit" disabled={path.value.trim() === ''}>
        Open
      </Button>
    </form>
  )
}

function Source({ source: { title, path, servers, failure } }: { source: ServerSource }): JSX.Element {
  return (
    <div class="source">
      <h3>
        {title} <span class="muted mono small-text">{path}</span>
      </h3>
      {failure && <Callout tone="warn" title={failure.message} />}
      <ul>
        {servers.map((server) => (
          <li key={server.name}>
            <SourceItem server={server} />
          </li>
        ))}
      </ul>
    </div>
  )
}

function SourceItem({ server: { name, target, summary, disabled, failure } }: { server: SourceServer }): JSX.Element {
  return (
    <div class="source-item">
      <Icon name="server" />
      <span class="source-text">
        <span class="source-name">
          <Untrusted text={name} />
          {disabled && <Badge>disabled</Badge>}
        </span>
        <span class="mono muted small-text">
          <Untrusted text={failure?.message ?? summary} />
        </span>
      </span>
      <Button disabled={failure !== undefined} onClick={() => void addServer(target, { name })}>
        Connect<span class="visually-hidden"> to {name}</span>
      </Button>
    </div>
  )
}
