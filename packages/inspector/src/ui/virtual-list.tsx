import { useSignal } from '@preact/signals'
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core'
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'

interface VirtualListProps {
  readonly count: number
  readonly rowHeight: number
  readonly label: string
  /** Renders one row. Its element has to fill the row. */
  readonly row: (index: number) => JSX.Element
  /** Whether the list stays at its end while rows are added. */
  readonly follow?: boolean
  /** Scrolls this row into sight when it changes. */
  readonly reveal?: number | undefined
  readonly onScroll?: (atEnd: boolean) => void
  readonly onKeyDown?: (event: KeyboardEvent) => void
  readonly active?: string | undefined
}

/** More rows are never in the page at once. */
const RECYCLED = 256

/** How close to the end counts as the end, in pixels. */
const END_SLACK = 40

/** A list that renders only the rows in sight. */
export function VirtualList({
  count,
  rowHeight,
  label,
  row,
  follow,
  reveal,
  onScroll,
  onKeyDown,
  active,
}: VirtualListProps): JSX.Element {
  const element = useRef<HTMLDivElement>(null)
  const version = useSignal(0)
  const virtualizer = useRef<Virtualizer<HTMLDivElement, Element> | null>(null)
  const options = {
    count,
    estimateSize: () => rowHeight,
    getScrollElement: () => element.current,
    overscan: 6,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => {
      version.value++
    },
  }
  virtualizer.current ??= new Virtualizer(options)
  const list = virtualizer.current
  list.setOptions(options)
  useLayoutEffect(() => list._didMount(), [])
  useLayoutEffect(() => list._willUpdate())
  useEffect(() => {
    if (follow && count > 0) list.scrollToIndex(count - 1, { align: 'end' })
  }, [count, follow])
  useEffect(() => {
    if (reveal !== undefined && reveal >= 0) list.scrollToIndex(reveal, { align: 'auto' })
  }, [reveal])
  void version.value
  const handleScroll = (): void => {
    const box = element.current
    if (box) onScroll?.(box.scrollHeight - box.scrollTop - box.clientHeight < END_SLACK)
  }
  return (
    <div
      ref={element}
      class="virtual-list"
      role="listbox"
      aria-label={label}
      aria-activedescendant={active}
      tabIndex={0}
      onScroll={handleScroll}
      onKeyDown={onKeyDown}
    >
      <div class="virtual-space" role="presentation" style={{ height: `${list.getTotalSize()}px` }}>
        {list.getVirtualItems().map((item) => (
          <div
            // Rows that leave the list are used again for those that enter it.
            key={item.index % RECYCLED}
            class="virtual-row"
            role="presentation"
            style={{ height: `${rowHeight}px`, transform: `translateY(${item.start}px)` }}
          >
            {row(item.index)}
          </div>
        ))}
      </div>
    </div>
  )
}
