import { signal, useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { filterBy } from '../../lib/fuzzy.ts'
import { isTimelineOpen, theme } from '../../state/preferences.ts'
import { currentServerId, GLOBAL_SCREENS, go, SERVER_SCREENS } from '../../state/route.ts'
import { inventoryOf, store } from '../../state/store.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { Untrusted } from '../../ui/untrusted.tsx'
import { connectServer } from './connecting.ts'

/** True if the palette is open. */
export const isPaletteOpen = signal(false)

interface Command {
  readonly id: string
  readonly icon: IconName
  readonly label: string
  readonly note: string
  readonly run: () => void
}

/** Everything by name: tools, prompts and resources of all servers, screens and commands. Opens with ⌘K or Ctrl-K. */
export function Palette(): JSX.Element | null {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return
      event.preventDefault()
      isPaletteOpen.value = !isPaletteOpen.value
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [])
  return isPaletteOpen.value ? <PaletteDialog /> : null
}

const MAX_SHOWN = 60

const search = (query: string): Command[] =>
  filterBy(allCommands(), query, ({ label, note }) => `${label} ${note}`).slice(0, MAX_SHOWN)

function PaletteDialog(): JSX.Element {
  const query = useSignal('')
  const active = useSignal(0)
  const found = search(query.value)
  const close = (): void => {
    isPaletteOpen.value = false
  }
  const choose = (command: Command | undefined): void => {
    close()
    command?.run()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    // What was typed last may not be rendered yet.
    const found = search(query.value)
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) {
      event.preventDefault()
      active.value = found.length === 0 ? 0 : (active.value + step + found.length) % found.length
      document.getElementById(`palette-${active.value}`)?.scrollIntoView({ block: 'nearest' })
    } else if (event.key === 'Enter') {
      event.preventDefault()
      choose(found[active.value])
    }
  }
  return (
    <Dialog title="Search and commands" onClose={close} class="palette" bare>
      <span class="search">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-label="Search tools, prompts, resources and commands"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={found.length > 0 ? `palette-${active.value}` : undefined}
          placeholder="Search tools, prompts, resources and commands"
          autocomplete="off"
          value={query.value}
          onInput={(event) => {
            query.value = event.currentTarget.value
            active.value = 0
          }}
          onKeyDown={onKeyDown}
        />
      </span>
      <div id="palette-list" class="palette-list" role="listbox" aria-label="Results">
        {found.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the input keeps the focus
          <div
            key={command.id}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === active.value}
            onClick={() => choose(command)}
          >
            <Icon name={command.icon} />
            <span class="palette-label">
              <Untrusted text={command.label} />
            </span>
            <span class="muted">
              <Untrusted text={command.note} />
            </span>
          </div>
        ))}
      </div>
      {found.length === 0 && <p class="palette-none muted">Nothing matches.</p>}
    </Dialog>
  )
}

function allCommands(): Command[] {
  return [...serverCommands(), ...itemCommands(), ...pageCommands()]
}

const title = (text: string): string => text[0]?.toUpperCase() + text.slice(1)

function serverCommands(): Command[] {
  const current = currentServerId.value
  const servers = [...store.servers.value.values()]
  const screens = SERVER_SCREENS.map((screen): Command | undefined =>
    current === undefined
      ? undefined
      : {
          id: `screen ${screen}`,
          icon: 'screen',
          label: title(screen),
          note: 'Screen',
          run: () => go({ screen, serverId: current }),
        },
  )
  const switches = servers.map(
    (server): Command => ({
      id: `server ${server.id}`,
      icon: 'server',
      label: server.name,
      note: 'Server',
      run: () => go({ screen: 'tools', serverId: server.id }),
    }),
  )
  const connects = servers
    .filter(({ status }) => status !== 'recording')
    .map(
      (server): Command => ({
        id: `connect ${server.id}`,
        icon: 'refresh',
        label: `${server.status === 'connected' ? 'Reconnect' : 'Connect'} ${server.name}`,
        note: 'Command',
        run: () => void connectServer(server),
      }),
    )
  return [...screens.filter((command) => command !== undefined), ...switches, ...connects]
}

function itemCommands(): Command[] {
  return [...store.servers.value.values()].flatMap(({ id: serverId, name: server }): Command[] => [
    ...(inventoryOf(serverId, 'tools')?.items ?? []).map(
      ({ name }): Command => ({
        id: `tool ${serverId} ${name}`,
        icon: 'tool',
        label: name,
        note: `Tool of ${server}`,
        run: () => go({ screen: 'tools', serverId, item: name }),
      }),
    ),
    ...(inventoryOf(serverId, 'prompts')?.items ?? []).map(
      ({ name }): Command => ({
        id: `prompt ${serverId} ${name}`,
        icon: 'chat',
        label: name,
        note: `Prompt of ${server}`,
        run: () => go({ screen: 'prompts', serverId, item: name }),
      }),
    ),
    ...(inventoryOf(serverId, 'resources')?.items ?? []).map(
      ({ uri, name }): Command => ({
        id: `resource ${serverId} ${uri}`,
        icon: 'file',
        label: name,
        note: `Resource of ${server} ${uri}`,
        run: () => go({ screen: 'resources', serverId, item: uri }),
      }),
    ),
  ])
}

function pageCommands(): Command[] {
  const screens = GLOBAL_SCREENS.map(
    (screen): Command => ({
      id: `global ${screen}`,
      icon: 'screen',
      label: screen === 'connect' ? 'Add a server' : title(screen),
      note: 'Screen',
      run: () => go({ screen }),
    }),
  )
  const themes = (['light', 'dark', 'system'] as const).map(
    (name): Command => ({
      id: `theme ${name}`,
      icon: name === 'dark' ? 'moon' : 'sun',
      label: `Theme: ${name}`,
      note: 'Command',
      run: () => {
        theme.value = name
      },
    }),
  )
  const timeline: Command = {
    id: 'timeline',
    icon: 'pulse',
    label: isTimelineOpen.value ? 'Hide the timeline' : 'Show the timeline',
    note: 'Command',
    run: () => {
      isTimelineOpen.value = !isTimelineOpen.value
    },
  }
  return [...screens, timeline, ...themes]
}
