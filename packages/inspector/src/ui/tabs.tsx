import { normalizeProps, useMachine } from '@zag-js/preact'
import * as tabs from '@zag-js/tabs'
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

/** One of several panels. Only the content of the selected one is rendered. */
export interface TabItem {
  readonly id: string
  readonly label: ComponentChildren
  readonly content: () => ComponentChildren
  readonly disabled?: boolean
}

interface TabsProps {
  /** The purpose of the tabs, for screen readers. */
  readonly label: string
  readonly items: readonly TabItem[]
  /** The selected tab. Without it, the tabs remember it themselves. */
  readonly value?: string
  readonly onChange?: (id: string) => void
  readonly class?: string
}

/** Tabs with their panels, by arrow keys as well. */
export function Tabs({ label, items, value, onChange, class: className = '' }: TabsProps): JSX.Element {
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
  const list = useRef<HTMLDivElement>(null)
  // In a narrow window the line of tabs scrolls, and the selected one may be out of sight.
  useEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>('[aria-selected="true"]')
    if (tab && list.current) list.current.scrollLeft = tab.offsetLeft - (list.current.clientWidth - tab.offsetWidth) / 2
  }, [api.value])
  return (
    <div {...api.getRootProps()} class={`tabs ${className}`}>
      <div class="tab-line">
        <div {...api.getListProps()} ref={list} class="tab-list">
          {items.map(({ id, label: text, disabled = false }) => (
            <button key={id} {...api.getTriggerProps({ value: id, disabled })} type="button" class="tab">
              {text}
            </button>
          ))}
        </div>
      </div>
      {shown && (
        <div key={shown.id} {...api.getContentProps({ value: shown.id })} class="tab-panel">
          {shown.content()}
        </div>
      )}
    </div>
  )
}
