import { effect } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { announcement, dismiss, notices } from '../../state/actions.ts'
import { route, type ServerScreen } from '../../state/route.ts'
import { store } from '../../state/store.ts'
import { Button, Callout, IconButton, Spinner } from '../../ui/basics.tsx'
import { CompareScreen } from '../compare/compare-screen.tsx'
import { ConnectScreen } from '../connect/connect-screen.tsx'
import { RecordingsScreen } from '../recordings/recordings-screen.tsx'
import { SavedScreen } from '../saved/saved-screen.tsx'
import { SettingsScreen } from '../settings/settings-screen.tsx'
import { TimelinePanel } from '../timeline/timeline.tsx'
import { ConfirmRun } from './confirm-run.tsx'
import { Palette } from './palette.tsx'
import { PaneSwitch, pane } from './panes.tsx'
import { ServerView } from './server-view.tsx'
import { Sidebar } from './sidebar.tsx'
import { TopBar } from './top-bar.tsx'

/** The whole page. */
export function App(): JSX.Element {
  useEffect(() => effect(() => void (document.title = titleOf())), [])
  return (
    <div class={`app pane-${pane.value}`}>
      <button type="button" class="skip-link" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <TopBar />
      <Sidebar />
      <main id="main" tabIndex={-1}>
        {store.link.value === 'lost' && <LinkLost />}
        {store.isLoaded.value ? <Screen /> : <Loading />}
      </main>
      <TimelinePanel />
      <PaneSwitch />
      <Palette />
      <ConfirmRun />
      <Notices />
      <p class="visually-hidden" role="status" aria-live="polite">
        {announcement.value}
      </p>
    </div>
  )
}

function titleOf(): string {
  const current = route.value
  const server = 'serverId' in current ? store.servers.value.get(current.serverId)?.name : undefined
  return [server, current.screen, 'Portcall Inspector'].filter(Boolean).join(' · ')
}

function Screen(): JSX.Element {
  const current = route.value
  switch (current.screen) {
    case 'connect':
      return <ConnectScreen />
    case 'compare':
      return <CompareScreen />
    case 'recordings':
      return <RecordingsScreen />
    case 'saved':
      return <SavedScreen />
    case 'settings':
      return <SettingsScreen />
    default:
      return <OfServer serverId={current.serverId} screen={current.screen} />
  }
}

function OfServer({ serverId, screen }: { serverId: string; screen: ServerScreen }): JSX.Element {
  const server = store.servers.value.get(serverId)
  return server ? <ServerView key={serverId} server={server} screen={screen} /> : <ConnectScreen />
}

function Loading(): JSX.Element {
  return (
    <div class="loading">
      <Spinner label="Loading" />
    </div>
  )
}

function LinkLost(): JSX.Element {
  return (
    <div class="link-lost">
      <Callout tone="warn" title="The inspector does not respond.">
        <p>
          Check that <code>portcall inspect</code> still runs in its terminal. If you started it again, open the link that it
          printed.
        </p>
        <div>
          <Button onClick={() => location.reload()}>Reload the page</Button>
        </div>
      </Callout>
    </div>
  )
}

function Notices(): JSX.Element {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map(({ id, tone, text, hint }) => (
        <div key={id} class={`notice ${tone}`}>
          <div>
            <p>{text}</p>
            {hint && <p class="muted">{hint}</p>}
          </div>
          <IconButton icon="close" label="Dismiss" onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  )
}
