import type { JSX } from 'preact'
import { APP_HOSTS, type AppHostName } from '../../../../portcall/src/apps/host/profiles.ts'
import type { DisplayMode } from '../../../../portcall/src/apps/view/types.ts'
import { Button } from '../../ui/basics.tsx'
import { HOSTS, modesOf, type ViewSettings, viewSettings, WIDTHS } from './view-settings.ts'

interface ViewControlsProps {
  readonly id: string
  readonly mode: DisplayMode
  readonly onMode: (mode: DisplayMode) => void
  readonly onReload: () => void
}

/** The host, the theme, the width, the language and the mode of a view. */
export function ViewControls({ id, mode, onMode, onReload }: ViewControlsProps): JSX.Element {
  const { profile, theme, width, locale } = viewSettings.value
  const set = (change: Partial<ViewSettings>): void => {
    viewSettings.value = { ...viewSettings.value, ...change }
  }
  return (
    <div class="view-controls">
      <Choice
        id={`${id}-host`}
        label="Host"
        value={profile}
        items={[['', 'Everything allowed'], ...HOSTS.map(([name, { title }]) => [name, title] as const)]}
        onChange={(value) => set({ profile: value as AppHostName | '' })}
      />
      <Choice
        id={`${id}-theme`}
        label="Theme"
        value={theme}
        items={[
          ['light', 'Light'],
          ['dark', 'Dark'],
        ]}
        onChange={(value) => set({ theme: value === 'dark' ? 'dark' : 'light' })}
      />
      <Choice
        id={`${id}-width`}
        label="Width"
        value={String(width)}
        items={[...new Set([...WIDTHS, width])].map((one) => [String(one), one === 0 ? 'Usual' : `${one} px`] as const)}
        onChange={(value) => set({ width: Number(value) })}
      />
      <Choice
        id={`${id}-mode`}
        label="Mode"
        value={mode}
        items={modesOf(profile).map((one) => [one, one] as const)}
        onChange={(value) => onMode(value as DisplayMode)}
      />
      <label class="view-control" for={`${id}-locale`}>
        <span>Language</span>
        <input
          id={`${id}-locale`}
          value={locale}
          spellcheck={false}
          onChange={(event) => set({ locale: event.currentTarget.value.trim() || navigator.language })}
        />
      </label>
      <Button kind="quiet" icon="refresh" onClick={onReload}>
        Reload the view
      </Button>
      {profile !== '' && (
        <p class="muted small-text view-source">
          {APP_HOSTS[profile].title} is emulated, as of {APP_HOSTS[profile].date}.
        </p>
      )}
    </div>
  )
}

interface ChoiceProps {
  readonly id: string
  readonly label: string
  readonly value: string
  readonly items: readonly (readonly [value: string, text: string])[]
  readonly onChange: (value: string) => void
}

function Choice({ id, label, value, items, onChange }: ChoiceProps): JSX.Element {
  return (
    <label class="view-control" for={id}>
      <span>{label}</span>
      <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {items.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}
