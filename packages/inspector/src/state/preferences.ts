import { effect, type Signal, signal } from '@preact/signals'

/** A color theme. */
export type Theme = 'system' | 'light' | 'dark'

/** Creates a signal that is kept in `localStorage`. For looks only: nothing that a person typed or a server sent. */
function preference<T extends string | number | boolean>(
  name: string,
  initial: T,
  isValid: (value: unknown) => value is T,
): Signal<T> {
  const key = `portcall.inspector.${name}`
  const value = signal<T>(read(key, isValid) ?? initial)
  effect(() => localStorage.setItem(key, JSON.stringify(value.value)))
  return value
}

function read<T>(key: string, isValid: (value: unknown) => value is T): T | undefined {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? 'null')
    return isValid(value) ? value : undefined
  } catch {
    return undefined
  }
}

const isTheme = (value: unknown): value is Theme => value === 'system' || value === 'light' || value === 'dark'
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean'

/** The theme that the user chose. */
export const theme = preference('theme', 'system', isTheme)
/** The height of the timeline, in pixels. */
export const timelineHeight = preference('timeline-height', 180, isNumber)
/** The height of the timeline while a message is shown, in pixels. */
export const drawerHeight = preference('drawer-height', 400, isNumber)
/** True if the timeline is open. */
export const isTimelineOpen = preference('timeline-open', true, isBoolean)

/** Applies the theme to the page. */
export function followTheme(): void {
  const prefersDark = matchMedia('(prefers-color-scheme: dark)')
  const apply = (): void => {
    const isDark = theme.value === 'dark' || (theme.value === 'system' && prefersDark.matches)
    document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light'
  }
  prefersDark.addEventListener('change', apply)
  effect(apply)
}
