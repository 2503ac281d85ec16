import type { ComponentChildren, JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { changedResources } from '../../state/changed-resources.ts'
import type { InspectorServer, InventoryKind } from '../../state/protocol.ts'
import { go, route, type ServerScreen } from '../../state/route.ts'
import { inventoryOf } from '../../state/store.ts'
import { Button, Empty, Spinner } from '../../ui/basics.tsx'
import { type TabItem, Tabs } from '../../ui/tabs.tsx'
import { AuthScreen, flowOf } from '../auth/auth-screen.tsx'
import { CheckScreen } from '../check/check-screen.tsx'
import { ConnectionScreen } from '../connection/connection-screen.tsx'
import { EventsScreen } from '../events/events-screen.tsx'
import { LogsScreen } from '../logs/logs-screen.tsx'
import { PromptsScreen } from '../prompts/prompts-screen.tsx'
import { QuestionList } from '../questions/question-list.tsx'
import { RequestsScreen } from '../requests/requests-screen.tsx'
import { ResourcesScreen } from '../resources/resources-screen.tsx'
import { SkillsScreen } from '../skills/skills-screen.tsx'
import { TasksScreen } from '../tasks/tasks-screen.tsx'
import { ToolsScreen } from '../tools/tools-screen.tsx'
import { connectServer, examine, takeFresh, takeWatched } from './connecting.ts'
import { currentOperationId } from './current-operation.ts'

type ScreenProps = { readonly server: InspectorServer }

interface ScreenEntry {
  readonly id: ServerScreen
  readonly label: string
  /** The list whose size and changes the tab shows. */
  readonly kind?: InventoryKind
  readonly view: (props: ScreenProps) => JSX.Element
  /** True if the screen is of use without a connection. */
  readonly offline?: boolean
}

const SCREENS: readonly ScreenEntry[] = [
  { id: 'tools', label: 'Tools', kind: 'tools', view: ToolsScreen },
  { id: 'resources', label: 'Resources', kind: 'resources', view: ResourcesScreen },
  { id: 'prompts', label: 'Prompts', kind: 'prompts', view: PromptsScreen },
  { id: 'tasks', label: 'Tasks', kind: 'tasks', view: TasksScreen },
  { id: 'skills', label: 'Skills', kind: 'skills', view: SkillsScreen },
  { id: 'events', label: 'Events', kind: 'events', view: EventsScreen },
  { id: 'logs', label: 'Logs', view: LogsScreen, offline: true },
  { id: 'requests', label: 'Requests', view: RequestsScreen },
  { id: 'auth', label: 'Auth', view: AuthScreen, offline: true },
  { id: 'check', label: 'Check', view: CheckScreen, offline: true },
  { id: 'connection', label: 'Connection', view: ConnectionScreen, offline: true },
]

/** The screens of one server, as tabs. */
export function ServerView({ server, screen }: { server: InspectorServer; screen: ServerScreen }): JSX.Element {
  useOutcome(server)
  const items = SCREENS.map(
    (entry): TabItem => ({
      id: entry.id,
      label: <TabLabel server={server} entry={entry} />,
      content: () => <ScreenBody server={server} entry={entry} />,
    }),
  )
  return (
    <Tabs
      label={`Screens of ${server.name}`}
      class="server-tabs"
      items={items}
      value={screen}
      onChange={(id) => {
        const next = SCREENS.find((entry) => entry.id === id)
        if (next && next.id !== screen) go({ screen: next.id, serverId: server.id })
      }}
    />
  )
}

/** After someone has asked for a connection: one that fails is examined, and a new server that is connected shows its tools. */
function useOutcome(server: InspectorServer): void {
  useEffect(() => {
    if (server.status === 'failed' && takeWatched(server.id)) void examine(server)
    if (server.status !== 'connected') return
    takeWatched(server.id)
    // The person may have chosen another screen since the last render.
    if (takeFresh(server.id) && route.value.screen === 'connection') go({ screen: 'tools', serverId: server.id })
  }, [server.status])
}

function TabLabel({ server, entry }: { server: InspectorServer; entry: ScreenEntry }): ComponentChildren {
  const inventory = entry.kind && inventoryOf(server.id, entry.kind)
  const count = inventory && inventory.status !== 'unsupported' && inventory.items.length > 0 ? inventory.items.length : undefined
  const changed = inventory?.changed
  const ofList = changed ? changed.added.length + changed.changed.length + changed.removed.length : 0
  const changes = ofList + (entry.kind === 'resources' ? changedResources(server.id).size : 0)
  return (
    <>
      {entry.label}
      {count !== undefined && <span class="tab-count">{count}</span>}
      {changes > 0 && <span class="change-dot" role="img" aria-label={`${changes} changed`} />}
    </>
  )
}

function ScreenBody({ server, entry }: { server: InspectorServer; entry: ScreenEntry }): JSX.Element {
  const isUsable = server.status === 'connected' || server.status === 'recording' || entry.offline
  const signsIn = entry.id === 'auth' && flowOf(server)?.status === 'waiting'
  return (
    <div class={`screen screen-${entry.id}`}>
      <h1 class="visually-hidden">
        {server.name}: {entry.label}
      </h1>
      <QuestionList serverId={server.id} except={currentOperationId.value} withoutSignIn={signsIn} />
      {isUsable ? <entry.view server={server} /> : <NotConnected server={server} />}
    </div>
  )
}

function NotConnected({ server }: ScreenProps): JSX.Element {
  if (server.status === 'connecting')
    return (
      <div class="loading">
        <Spinner label="Connecting" />
        <p class="muted">Connecting to {server.name}</p>
      </div>
    )
  return (
    <Empty
      icon="server"
      title={server.status === 'failed' ? 'The connection failed' : 'Not connected'}
      action={
        <span class="toolbar">
          <Button kind="primary" onClick={() => void connectServer(server)}>
            Connect
          </Button>
          <Button onClick={() => go({ screen: 'connection', serverId: server.id })}>Show why</Button>
        </span>
      }
    >
      {server.failure?.message ?? 'Connect to see what the server offers.'}
    </Empty>
  )
}
