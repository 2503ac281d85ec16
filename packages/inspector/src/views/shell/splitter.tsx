import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { drawerHeight, isTimelineOpen, timelineHeight } from '../../state/preferences.ts'
import { selectedEntry } from '../../state/timeline-view.ts'

const MIN = 120
const STEP = 24

const clamp = (height: number): number => Math.round(Math.min(Math.max(MIN, height), Math.max(MIN, innerHeight - 220)))

/** The line between the screen and the timeline, which moves by pointer and by keyboard. */
export function Splitter(): JSX.Element {
  // A message needs more room than a list of messages.
  const preferred = selectedEntry.value === undefined ? timelineHeight : drawerHeight
  const height = clamp(preferred.value)
  useEffect(() => {
    document.documentElement.style.setProperty('--timeline-height', isTimelineOpen.value ? `${height}px` : 'auto')
  }, [height, isTimelineOpen.value])
  const drag = (event: PointerEvent): void => {
    const target = event.currentTarget
    if (!(target instanceof HTMLElement) || !target.hasPointerCapture(event.pointerId)) return
    preferred.value = clamp(innerHeight - event.clientY)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowUp' ? STEP : event.key === 'ArrowDown' ? -STEP : 0
    if (step === 0) return
    event.preventDefault()
    preferred.value = clamp(height + step)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: an <hr> cannot be moved
    <div
      class="splitter"
      role="separator"
      tabIndex={0}
      aria-label="Height of the timeline"
      aria-orientation="horizontal"
      aria-valuenow={height}
      aria-valuemin={MIN}
      aria-valuemax={clamp(10_000)}
      hidden={!isTimelineOpen.value}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      onKeyDown={onKeyDown}
    />
  )
}
