import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'

interface VirtualListProps {
  readonly count: number
  readonly rowHeight: number
  readonly label: string
  /** Renders one row. Its element has to fill the row. */
  readonly row: (index: number) => JSX.Element
  /** True if the list stays at its end while rows are added. */
  readonly follow?: boolean
  /** Scrolls this row into sight when it changes. */
  readonly reveal?: number | undefined
  readonly onScroll?: (atEnd: boolean) => void
  readonly onKeyDown?: (event: KeyboardEvent) => void
  readonly active?: string | undefined
}

/** The rows above and below those in sight that are rendered as well. */
const OVERSCAN = 3
/** How close to the end counts as the end, in pixels. */
const END_SLACK = 40

/** A list of rows of one height that renders only those in sight. */
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
  /** The first row in sight, and the height of the list. */
  const first = useSignal(0)
  const height = useSignal(0)
  const seen = height.value === 0 ? 0 : Math.ceil(height.value / rowHeight) + 1
  useLayoutEffect(() => {
    const box = element.current
    if (!box) return undefined
    const observer = new ResizeObserver(() => (height.value = box.clientHeight))
    observer.observe(box)
    return () => observer.disconnect()
  }, [])
  useLayoutEffect(() => {
    if (follow && element.current) element.current.scrollTop = count * rowHeight
  }, [count, follow, height.value])
  useEffect(() => {
    const box = element.current
    if (!box || reveal === undefined || reveal < 0) return
    const top = reveal * rowHeight
    const highest = top + rowHeight - box.clientHeight
    box.scrollTop = Math.min(top, Math.max(highest, box.scrollTop))
  }, [reveal])
  const handleScroll = (): void => {
    const box = element.current
    if (!box) return
    first.value = Math.floor(box.scrollTop / rowHeight)
    // An event after the list got another height is not one of a person who scrolls.
    if (box.clientHeight === height.peek()) onScroll?.(box.scrollHeight - box.scrollTop - box.clientHeight < END_SLACK)
  }
  const slots = seen + 2 * OVERSCAN
  const start = Math.max(0, Math.min(first.value, count - seen) - OVERSCAN)
  const indexes = Array.from({ length: Math.min(slots, count - start) }, (_, at) => start + at)
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
      <div class="virtual-space" role="presentation" style={{ height: `${count * rowHeight}px` }}>
        {indexes.map((index) => (
          <div
            // The element of a row that leaves the list is used again for one that enters it, however far the list scrolls.
            key={index % slots}
            class="virtual-row"
            role="presentation"
            style={{ height: `${rowHeight}px`, top: `${index * rowHeight}px` }}
          >
            {row(index)}
          </div>
        ))}
      </div>
    </div>
  )
}
