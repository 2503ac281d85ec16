import * as menu from '@zag-js/menu'
import { normalizeProps, useMachine } from '@zag-js/preact'
import type { ComponentChildren, JSX } from 'preact'
import { useId } from 'preact/hooks'
import { Icon, type IconName } from './icon.tsx'

/** An entry of a menu. */
export interface MenuItem {
  readonly id: string
  readonly label: ComponentChildren
  readonly icon?: IconName
  readonly note?: string
  readonly checked?: boolean
  readonly danger?: boolean
  readonly disabled?: boolean
  readonly onSelect: () => void
}

interface MenuProps {
  /** The text of the button, if it has no children, and for an icon what screen readers say. */
  readonly label: string
  readonly icon?: IconName
  readonly iconOnly?: boolean
  readonly children?: ComponentChildren
  readonly items: readonly MenuItem[]
  readonly kind?: 'plain' | 'quiet'
  readonly disabled?: boolean
}

/** A button that opens a menu. */
export function Menu({
  label,
  icon,
  iconOnly = false,
  children,
  items,
  kind = 'plain',
  disabled = false,
}: MenuProps): JSX.Element {
  const service = useMachine(menu.machine, {
    id: useId(),
    'aria-label': label,
    // Fixed, so that no part of the page that scrolls cuts it off.
    positioning: { placement: 'bottom-end', gutter: 4, strategy: 'fixed' },
    onSelect: ({ value }) => items.find(({ id }) => id === value)?.onSelect(),
  })
  const api = menu.connect(service, normalizeProps)
  return (
    <>
      <button
        {...api.getTriggerProps()}
        type="button"
        disabled={disabled}
        class={`button ${kind} ${iconOnly ? 'icon-only' : ''}`}
        aria-label={iconOnly ? label : undefined}
        title={iconOnly ? label : undefined}
      >
        {icon && <Icon name={icon} />}
        {children ?? (!iconOnly && label)}
        {!iconOnly && <Icon name="down" class="small" />}
      </button>
      {api.open && <MenuList api={api} items={items} />}
    </>
  )
}

function MenuList({ api, items }: { api: menu.Api; items: readonly MenuItem[] }): JSX.Element {
  return (
    <div {...api.getPositionerProps()} class="menu-positioner">
      <div {...api.getContentProps()} class="menu">
        {items.map(({ id, label, icon, note, checked, danger, disabled = false }) => (
          <div key={id} {...api.getItemProps({ value: id, disabled })} class={`menu-item ${danger ? 'danger' : ''}`}>
            {icon ? <Icon name={icon} /> : checked !== undefined && <Icon name="check" class={checked ? '' : 'invisible'} />}
            <span class="menu-label">{label}</span>
            {note && <span class="menu-note">{note}</span>}
          </div>
        ))}
      </div>
    </div>
  )
}
