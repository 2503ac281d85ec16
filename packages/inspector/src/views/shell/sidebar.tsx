import type { JSX } from 'preact'
import { plural } from '../../lib/format.ts'
import type { InspectorServer } from '../../state/protocol.ts'
import { currentServerId, type GlobalScreen, go, route } from '../../state/route.ts'
import { inventoryOf, openQuestions, store } from '../../state/store.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { Untrusted } from '../../ui/untrusted.tsx'
import { pane } from './panes.tsx'
import { StatusDot, statusLabel } from './status.tsx'

const SCREENS: readonly { screen: GlobalScreen; label: string; icon: IconName }[] = [
  { screen: 'compare', label: 'Compare', icon: 'compare' },
  { screen: 'recordings', label: 'Recordings', icon: 'record' },
  { screen: 'saved', label: 'Saved calls', icon: 'check' },
  { screen: 'settings', label: 'Settings', icon: 'sliders' },
]

/** The servers with their states, and the screens that belong to none. */
export function Sidebar(): JSX.Element {
  const servers = [...store.servers.value.values()]
  const show = (action: () => void): void => {
    action()
    pane.value = 'screen'
  }
  return (
    <nav class="sidebar" aria-label="Servers">
      <h2 class="sidebar-title">Servers</h2>
      <ul>
        {servers.map((server) => (
          <li key={server.id}>
            <ServerItem server={server} onClick={() => show(() => go({ screen: screenFor(server), serverId: server.id }))} />
          </li>
        ))}
      </ul>
      <button
        type="button"
        class="nav-item"
        aria-current={route.value.screen === 'connect' ? 'page' : undefined}
        onClick={() => show(() => go({ screen: 'connect' }))}
      >
        <Icon name="plus" />
        Add a server
      </button>
      <ul class="sidebar-foot">
        {SCREENS.map(({ screen, label, icon }) => (
          <li key={screen}>
            <button
              type="button"
              class="nav-item"
              aria-current={route.value.screen === screen ? 'page' : undefined}
              onClick={() => show(() => go({ screen }))}
            >
              <Icon name={icon} />
              {label}
            </button>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** Keeps the screen when another server is chosen, if that server can show it. */
function screenFor(server: InspectorServer): 'tools' | 'connection' | 'resources' | 'prompts' {
  if (server.status !== 'connected' && server.status !== 'recording') return 'connection'
  const { screen } = route.value
  return screen === 'resources' || screen === 'prompts' ? screen : 'tools'
}

function ServerItem({ server, onClick }: { server: InspectorServer; onClick: () => void }): JSX.Element {
  const isCurrent = currentServerId.value === server.id
  const questions = openQuestions(server.id).length
  return (
    <button type="button" class="nav-item server-item" aria-current={isCurrent ? 'true' : undefined} onClick={onClick}>
      <StatusDot status={server.status} />
      <span class="server-text">
        <span class="server-name">
          <Untrusted text={server.name} />
        </span>
        <span class="server-note" title={noteOf(server)}>
          {noteOf(server)}
        </span>
      </span>
      {questions > 0 && <span class="badge accent">{questions}</span>}
    </button>
  )
}

function noteOf(server: InspectorServer): string {
  const { status, negotiation, failure } = server
  if (status === 'failed' && failure) return failure.message
  if (status !== 'connected') return statusLabel(status)
  const tools = inventoryOf(server.id, 'tools')?.items.length
  return [negotiation?.revision, tools !== undefined && plural(tools, 'tool')].filter(Boolean).join(' · ')
}
