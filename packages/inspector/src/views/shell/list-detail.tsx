import type { ComponentChildren, JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { operate } from '../../state/actions.ts'
import type { InspectorInventory, InspectorServer, InventoryKind } from '../../state/protocol.ts'
import { Button, Empty, Failure, IconButton, Spinner } from '../../ui/basics.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { Untrusted } from '../../ui/untrusted.tsx'

interface ListDetailProps<T> {
  readonly kind: InventoryKind
  readonly noun: string
  readonly server: InspectorServer
  readonly inventory: InspectorInventory | undefined
  readonly query: string
  readonly onQuery: (query: string) => void
  readonly items: readonly T[]
  readonly keyOf: (item: T) => string
  /** The name of an item, if it is not its key. */
  readonly labelOf?: (item: T) => string
  /** What stands after the name. */
  readonly row?: (item: T) => ComponentChildren
  readonly selected: string | undefined
  readonly onSelect: (item: T) => void
  readonly empty: { readonly icon: IconName; readonly title: string; readonly text: string }
  readonly children: ComponentChildren
  /** What stands above the list. */
  readonly head?: ComponentChildren
}

/** A list with a search on the left, and the chosen item on the right. */
export function ListDetail<T>(props: ListDetailProps<T>): JSX.Element {
  const { inventory, empty, children, query, selected } = props
  if (!inventory || (inventory.status === 'loading' && inventory.items.length === 0))
    return (
      <div class="loading">
        <Spinner label="Loading the list" />
      </div>
    )
  if (inventory.status === 'failed' && inventory.failure)
    return <Failure failure={inventory.failure} title="The list cannot be fetched" />
  if (inventory.items.length === 0)
    return (
      <Empty icon={empty.icon} title={empty.title} action={<Refresh {...props} />}>
        {inventory.status === 'unsupported' ? 'It does not declare this capability.' : empty.text}
      </Empty>
    )
  return (
    <div class={`list-detail ${selected === undefined ? '' : 'has-selection'}`}>
      <div class="list-side">
        <div class="list-head">
          <Search noun={props.noun} query={query} onQuery={props.onQuery} />
          <IconButton
            icon="refresh"
            label="Fetch the list again"
            onClick={() => void operate(props.server.id, { type: 'list', kind: props.kind })}
          />
        </div>
        {props.head}
        <ItemList {...props} />
      </div>
      <div class="detail-side">{children}</div>
    </div>
  )
}

function Refresh<T>({ server, kind }: ListDetailProps<T>): JSX.Element {
  return (
    <Button icon="refresh" onClick={() => void operate(server.id, { type: 'list', kind })}>
      Fetch again
    </Button>
  )
}

function Search({ noun, query, onQuery }: { noun: string; query: string; onQuery: (query: string) => void }): JSX.Element {
  return (
    <span class="search">
      <Icon name="search" />
      <input
        type="search"
        aria-label={`Search ${noun}s`}
        placeholder={`Search ${noun}s`}
        value={query}
        onInput={(event) => onQuery(event.currentTarget.value)}
      />
    </span>
  )
}

function ItemList<T>({ items, keyOf, labelOf = keyOf, row, selected, onSelect, inventory }: ListDetailProps<T>): JSX.Element {
  const list = useRef<HTMLUListElement>(null)
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step === 0) return
    const buttons = [...(list.current?.querySelectorAll<HTMLElement>('button') ?? [])]
    const at = buttons.findIndex((button) => button.matches(':focus'))
    if (at < 0) return
    event.preventDefault()
    buttons[Math.min(buttons.length - 1, Math.max(0, at + step))]?.focus()
  }
  if (items.length === 0) return <p class="muted list-none">Nothing matches.</p>
  return (
    <ul ref={list} class="item-list" onKeyDown={onKeyDown}>
      {items.map((item) => {
        const key = keyOf(item)
        return (
          <li key={key}>
            <button
              type="button"
              class="item"
              aria-current={selected === key ? 'true' : undefined}
              onClick={() => onSelect(item)}
            >
              <span class="item-name">
                <Untrusted text={labelOf(item)} />
              </span>
              <ChangeBadge inventory={inventory} name={key} />
              {row?.(item)}
            </button>
          </li>
        )
      })}
    </ul>
  )
}

/** Marks an item that the last change of the list has added or changed. */
function ChangeBadge({ inventory, name }: { inventory: InspectorInventory | undefined; name: string }): JSX.Element | null {
  const { added = [], changed = [] } = inventory?.changed ?? {}
  if (added.includes(name)) return <span class="badge good">new</span>
  return changed.includes(name) ? <span class="badge accent">changed</span> : null
}

/** What the right side shows before anything is chosen. */
export function NothingChosen({ icon, noun, text }: { icon: IconName; noun: string; text: string }): JSX.Element {
  return (
    <Empty icon={icon} title={`Choose a ${noun}`}>
      {text}
    </Empty>
  )
}
