import type { JSX } from 'preact'
import { run } from '../../state/actions.ts'
import { type Theme, theme } from '../../state/preferences.ts'
import type { InspectorServer } from '../../state/protocol.ts'
import { currentServerId, go } from '../../state/route.ts'
import { openQuestions, store } from '../../state/store.ts'
import { Button } from '../../ui/basics.tsx'
import { Icon, type IconName, Mark } from '../../ui/icon.tsx'
import { Menu } from '../../ui/menu.tsx'
import { connectServer } from './connecting.ts'
import { isPaletteOpen } from './palette.tsx'
import { StatusDot } from './status.tsx'

/** The bar on top: where you are, which revision is spoken, and what is reachable from everywhere. */
export function TopBar(): JSX.Element {
  const serverId = currentServerId.value
  const server = serverId === undefined ? undefined : store.servers.value.get(serverId)
  return (
    <header class="top-bar">
      <button type="button" class="brand" aria-label="Portcall Inspector" onClick={() => go({ screen: 'connect' })}>
        <Mark />
        <span>
          Portcall <span class="brand-part">Inspector</span>
        </span>
      </button>
      {server && (
        <div class="top-server">
          <StatusDot status={server.status} />
          <span class="top-name">{server.name}</span>
          {server.status !== 'recording' && <RevisionMenu server={server} />}
        </div>
      )}
      <Questions />
      <span class="spread" />
      <button
        type="button"
        class="palette-button"
        onClick={() => (isPaletteOpen.value = true)}
        aria-keyshortcuts="Control+K Meta+K"
      >
        <Icon name="search" />
        <span>Search</span> <kbd>{SHORTCUT}</kbd>
      </button>
      <Button icon="plus" kind="quiet" class="add-server" title="Add a server" onClick={() => go({ screen: 'connect' })}>
        <span>Server</span>
      </Button>
      <ThemeMenu />
    </header>
  )
}

const SHORTCUT = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K'

/** Open questions, wherever they belong to. */
function Questions(): JSX.Element | null {
  const [first, ...more] = openQuestions()
  if (!first) return null
  const operation = first.operationId === undefined ? undefined : store.operations.value.get(first.operationId)
  const show = (): void => {
    const { serverId } = first
    if (operation?.request.type === 'call-tool') go({ screen: 'tools', serverId, item: operation.request.name })
    else go({ screen: 'connection', serverId })
  }
  return (
    <button type="button" class="question-pill" onClick={show}>
      <Icon name="question" />
      {more.length + 1}
      <span class="question-words">{more.length === 0 ? 'question' : 'questions'}</span>
    </button>
  )
}

function RevisionMenu({ server }: { server: InspectorServer }): JSX.Element {
  const pinned = server.settings.revision
  const { revision, era } = server.negotiation ?? {}
  const choose = async (next: string | undefined): Promise<void> => {
    const { revision: _, ...rest } = server.settings
    const updated = await run('update-server', {
      serverId: server.id,
      settings: next === undefined ? rest : { ...rest, revision: next },
    })
    if (updated) await connectServer(updated.server, server.status === 'connected')
  }
  const items = [
    { id: 'auto', label: 'Automatic', checked: pinned === undefined, onSelect: () => void choose(undefined) },
    ...store.revisions.value.map((name) => ({
      id: name,
      label: name,
      checked: pinned === name,
      note: name === revision ? 'in use' : '',
      onSelect: () => void choose(name),
    })),
  ]
  return (
    <Menu label="Protocol revision" kind="quiet" items={items}>
      <span class="visually-hidden">Protocol revision</span>
      <span class="revision mono">{revision ?? pinned ?? 'automatic'}</span>
      {era === 'http+sse' && <span class="badge">{era}</span>}
    </Menu>
  )
}

const THEMES: readonly { id: Theme; label: string; icon: IconName }[] = [
  { id: 'system', label: 'As the system', icon: 'screen' },
  { id: 'light', label: 'Light', icon: 'sun' },
  { id: 'dark', label: 'Dark', icon: 'moon' },
]

function ThemeMenu(): JSX.Element {
  const current = THEMES.find(({ id }) => id === theme.value)
  const items = THEMES.map(({ id, label, icon }) => ({
    id,
    label,
    icon,
    note: theme.value === id ? 'chosen' : '',
    onSelect: () => {
      theme.value = id
    },
  }))
  return <Menu label="Theme" icon={current?.icon ?? 'screen'} iconOnly kind="quiet" items={items} />
}
