import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { notify, run } from '../../state/actions.ts'
import type { InspectorRoot, InspectorServer } from '../../state/protocol.ts'
import { Button, IconButton } from '../../ui/basics.tsx'

/** The directories that the server may use. They can be changed while it is connected. */
export function RootsEditor({ server }: { server: InspectorServer }): JSX.Element {
  const roots = useSignal<readonly InspectorRoot[]>(server.roots)
  const change = (index: number, next: InspectorRoot | undefined): void => {
    roots.value = roots.value.flatMap((root, at) => (at === index ? (next ? [next] : []) : [root]))
  }
  const apply = async (event: Event): Promise<void> => {
    event.preventDefault()
    const wanted = roots.value.filter(({ uri }) => uri.trim() !== '')
    if (await run('set-roots', { serverId: server.id, roots: wanted })) notify('The server gets these roots.')
  }
  return (
    <form class="stack tight" onSubmit={(event) => void apply(event)}>
      <h3>Roots</h3>
      {roots.value.length === 0 && <p class="muted">The server gets no directories.</p>}
      {roots.value.map((root, index) => (
        <div key={index} class="pair">
          <input
            class="mono"
            aria-label={`Address of root ${index + 1}`}
            placeholder="file:///home/me/project"
            value={root.uri}
            onInput={(event) => change(index, { ...root, uri: event.currentTarget.value })}
          />
          <input
            aria-label={`Name of root ${index + 1}`}
            placeholder="Name"
            value={root.name ?? ''}
            onInput={(event) => change(index, { ...root, name: event.currentTarget.value })}
          />
          <IconButton icon="close" label={`Remove root ${index + 1}`} onClick={() => change(index, undefined)} />
        </div>
      ))}
      <div class="toolbar">
        <Button kind="quiet" icon="plus" onClick={() => (roots.value = [...roots.value, { uri: 'file:///' }])}>
          Add a root
        </Button>
        <Button type="submit">Apply</Button>
      </div>
    </form>
  )
}
