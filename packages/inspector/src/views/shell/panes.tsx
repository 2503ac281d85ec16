import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { openQuestions } from '../../state/store.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'

/** The part that a narrow window shows: one thing at a time. */
export type Pane = 'servers' | 'screen' | 'timeline'

/** The pane of a narrow window. Wide ones show all. */
export const pane = signal<Pane>('screen')

const PANES: readonly { id: Pane; label: string; icon: IconName }[] = [
  { id: 'servers', label: 'Servers', icon: 'server' },
  { id: 'screen', label: 'Screen', icon: 'screen' },
  { id: 'timeline', label: 'Timeline', icon: 'pulse' },
]

/** Switches between the panes of a narrow window. */
export function PaneSwitch(): JSX.Element {
  const questions = openQuestions().length
  return (
    <nav class="pane-switch" aria-label="Panes">
      {PANES.map(({ id, label, icon }) => (
        <button key={id} type="button" aria-pressed={pane.value === id} onClick={() => (pane.value = id)}>
          <Icon name={icon} />
          {label}
          {id === 'screen' && questions > 0 && <span class="badge accent">{questions}</span>}
        </button>
      ))}
    </nav>
  )
}
