import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { run } from '../../state/actions.ts'
import type { InspectorServer } from '../../state/protocol.ts'
import { Code } from '../../ui/json.tsx'
import { Menu } from '../../ui/menu.tsx'

const HOSTS = ['claude-desktop', 'claude-code', 'cursor', 'vscode', 'windsurf', 'zed', 'gemini', 'codex'] as const

/** The entry for the configuration of an application that uses this server. */
export function HostEntry({ server }: { server: InspectorServer }): JSX.Element {
  const entry = useSignal<{ readonly text: string; readonly language: string } | undefined>(undefined)
  const show = async (host: string): Promise<void> => {
    entry.value = await run('copy-as', { format: 'host-entry', source: { serverId: server.id }, host })
  }
  return (
    <section class="stack tight">
      <header class="section-head">
        <h3>Use it in an application</h3>
        <Menu label="Application" items={HOSTS.map((host) => ({ id: host, label: host, onSelect: () => void show(host) }))} />
      </header>
      {entry.value ? (
        <Code text={entry.value.text} label="entry" language={entry.value.language === 'json' ? 'json' : 'text'} />
      ) : (
        <p class="muted">Choose an application to see the entry for its configuration.</p>
      )}
    </section>
  )
}
