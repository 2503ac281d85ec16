import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { filterBy } from '../../lib/fuzzy.ts'
import { operate } from '../../state/actions.ts'
import type { InspectorInventory, InspectorServer, InventoryKind } from '../../state/protocol.ts'
import { go, route } from '../../state/route.ts'
import { Button, Empty, Failure, IconButton, Spinner } from '../../ui/basics.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { Untrusted } from '../../ui/untrusted.tsx'

interface ListDetailProps<T> {
  /** Which list of the server: also the name of its screen. */
  readonly kind: Exclude<InventoryKind, 'templates'>
  readonly server: InspectorServer
  readonly inventory: InspectorInventory | undefined
  readonly items: readonly T[]
  readonly keyOf: (item: T) => string
  /** The name of an item, if it is not its key. */
  readonly labelOf?: (item: T) => string
  /** The text that the search looks in. */
  readonly searchOf: (item: T) => string
  /** The part after the name. */
  readonly row?: (item: T) => ComponentChildren
  /** Shows the chosen item. */
  readonly detail: (item: T) => ComponentChildren
  /** Shows the item of the address when it is not in the list. Without it, nothing counts as chosen then. */
  readonly unlisted?: (key: string) => ComponentChildren
  /** The screen when the list is empty, and, as `choose`, before an item is chosen. */
  readonly empty: { readonly icon: IconName; readonly title: string; readonly text: string; readonly choose: string }
  /** The part above the list. */
  readonly head?: ComponentChildren
}

/** A list with a search on the left, and on the right the item that the address names. */
export function ListDetail<T>(props: ListDetailProps<T>): JSX.Element {
  const { kind, server, inventory, items, empty, keyOf, searchOf, unlisted } = props
  const query = useSignal('')
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
  const wanted = 'item' in route.value ? route.value.item : undefined
  const chosen = items.find((item) => keyOf(item) === wanted)
  const selected = chosen || unlisted ? wanted : undefined
  return (
    <div class={`list-detail ${selected === undefined ? '' : 'has-selection'}`}>
      <div class="list-side">
        <div class="list-head">
          <Search kind={kind} query={query} />
          <IconButton
            icon="refresh"
            label="Fetch the list again"
            onClick={() => void operate(server.id, { type: 'list', kind })}
          />
        </div>
        {props.head}
        <ItemList {...props} items={filterBy(items, query.value, searchOf)} selected={selected} />
      </div>
      <div class="detail-side">
        {selected === undefined ? (
          <Empty icon={empty.icon} title={`Choose a ${kind.slice(0, -1)}`}>
            {empty.choose}
          </Empty>
        ) : (
          <article key={`${server.id} ${selected}`} class="detail stack wide-gap">
            <Button kind="quiet" icon="chevron" class="back" onClick={() => go({ screen: kind, serverId: server.id })}>
              All {kind}
            </Button>
            {chosen ? props.detail(chosen) : unlisted?.(selected)}
          </article>
        )}
      </div>
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

function Search({ kind, query }: { kind: string; query: Signal<string> }): JSX.Element {
  return (
    <span class="search">
      <Icon name="search" />
      <input
        type="search"
        aria-label={`Search ${kind}`}
        placeholder={`Search ${kind}`}
        value={query.value}
        onInput={(event) => {
          query.value = event.currentTarget.value
        }}
      />
    </span>
  )
}

function ItemList<T>({
  kind,
  server,
  items,
  keyOf,
  labelOf = keyOf,
  row,
  inventory,
  selected,
}: ListDetailProps<T> & { selected: string | undefined }): JSX.Element {
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
              onClick={() => go({ screen: kind, serverId: server.id, item: key })}
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
