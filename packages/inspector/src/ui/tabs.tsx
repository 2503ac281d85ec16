import { normalizeProps, useMachine } from '@zag-js/preact'
import * as tabs from '@zag-js/tabs'
import type { ComponentChildren, JSX } from 'preact'
import { useId } from 'preact/hooks'

/** One of several panels. Only the content of the selected one is rendered. */
export interface TabItem {
  readonly id: string
  readonly label: ComponentChildren
  readonly content: () => ComponentChildren
  readonly disabled?: boolean
}

interface TabsProps {
  /** What the tabs are for, for screen readers. */
  readonly label: string
  readonly items: readonly TabItem[]
  /** The selected tab. Without it, the tabs remember it themselves. */
  readonly value?: string
  readonly onChange?: (id: string) => void
  /** What stands at the end of the line of tabs. */
  readonly extra?: ComponentChildren
  readonly class?: string
}

/** Tabs with their panels, by arrow keys as well. */
export function Tabs({ label, items, value, onChange, extra, class: className = '' }: TabsProps): JSX.Element {
  const first = items.find(({ disabled }) => !disabled)?.id ?? ''
  const selected = value !== undefined && items.some(({ id }) => id === value) ? value : value === undefined ? undefined : first
  const service = useMachine(tabs.machine, {
    id: useId(),
    ...(selected === undefined ? { defaultValue: first } : { value: selected }),
    onValueChange: (details) => onChange?.(details.value),
    translations: { listLabel: label },
  })
  const api = tabs.connect(service, normalizeProps)
  const shown = items.find(({ id }) => id === api.value) ?? items[0]
  return (
    <div {...api.getRootProps()} class={`tabs ${className}`}>
      <div class="tab-line">
        <div {...api.getListProps()} class="tab-list">
          {items.map(({ id, label: text, disabled = false }) => (
            <button key={id} {...api.getTriggerProps({ value: id, disabled })} type="button" class="tab">
              {text}
            </button>
          ))}
        </div>
        {extra && <div class="tab-extra">{extra}</div>}
      </div>
      {shown && (
        <div key={shown.id} {...api.getContentProps({ value: shown.id })} class="tab-panel">
          {shown.content()}
        </div>
      )}
    </div>
  )
}
