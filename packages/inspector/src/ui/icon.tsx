import type { JSX } from 'preact'

/** The paths of the icons, on a grid of 16. Strokes only, so that they take the color of the text. */
const PATHS = {
  plus: 'M8 3v10M3 8h10',
  close: 'M4 4l8 8M12 4l-8 8',
  check: 'M3.5 8.5l3 3 6-7',
  warning: 'M8 2.5l6 11H2zM8 6.5v3M8 11.6v.1',
  error: 'M8 2a6 6 0 100 12A6 6 0 008 2zM5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4',
  info: 'M8 2a6 6 0 100 12A6 6 0 008 2zM8 7.3v3.6M8 5.1v.1',
  search: 'M7 2.5a4.5 4.5 0 100 9 4.5 4.5 0 000-9zM10.3 10.3l3.2 3.2',
  chevron: 'M6 4l4 4-4 4',
  down: 'M4 6l4 4 4-4',
  play: 'M5 3.5v9l7.5-4.5z',
  stop: 'M4.5 4.5h7v7h-7z',
  pause: 'M5.5 4v8M10.5 4v8',
  refresh: 'M13 8a5 5 0 11-1.5-3.5M13 2.5v2.7h-2.7',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  save: 'M8 2.5v7M5 7l3 3 3-3M3 13h10',
  upload: 'M8 10.5v-7M5 6l3-3 3 3M3 13h10',
  sun: 'M8 5.2a2.8 2.8 0 100 5.6 2.8 2.8 0 000-5.6zM8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9',
  moon: 'M13 9.5A5.5 5.5 0 116.5 3a4.5 4.5 0 006.5 6.5z',
  screen: 'M2.5 3h11v8h-11zM6 13.5h4M8 11v2.5',
  out: 'M3 8h9.5M9 4.5L12.5 8 9 11.5',
  in: 'M13 8H3.5M7 4.5L3.5 8 7 11.5',
  pin: 'M6 2.5h4l-.6 4.2 2.1 2.3h-7l2.1-2.3zM8 9v4.5',
  trash: 'M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.6 9h5.8l.6-9',
  external: 'M6.5 3.5h-3v9h9v-3M9 2.5h4.5V7M13.3 2.7L7.5 8.5',
  key: 'M5.5 7.5a3 3 0 100 6 3 3 0 000-6zM7.7 8.4l5.3-5.3M11 5l1.7 1.7',
  server: 'M3 3h10v4H3zM3 9h10v4H3zM5.3 5v.1M5.3 11v.1',
  file: 'M4 2.5h5l3 3v8H4zM9 2.5v3h3',
  tool: 'M10 2.6a3.4 3.4 0 00-3 4.9L2.8 11.700a1.200 1.200 0 001.600 1.600L8.600 9.100a3.400 3.400 0 004.600-4.300l-2 2-1.800-1.800 2-2A3.400 3.400 0 0010 2.600z',
  chat: 'M2.500 3h11v7.500h-6L4.500 13v-2.500h-2z',
  clock: 'M8 2a6 6 0 100 12A6 6 0 008 2zM8 5v3.200l2.200 1.300',
  book: 'M3 3h4.200L8 3.800 8.800 3H13v9.500H8.800L8 13.300l-.8-.8H3zM8 3.800v9.500',
  pulse: 'M1.500 8h3l2-4.500 3 9 2-4.500h3',
  list: 'M3 4.500h10M3 8h10M3 11.500h6',
  compare: 'M3 3h4v10H3zM9 3h4v10H9z',
  record: 'M8 4a4 4 0 100 8 4 4 0 000-8z',
  command:
    'M5.500 5.500h5v5h-5zM5.500 5.500v-1.500A1.500 1.500 0 104 5.500zM10.500 5.500H12A1.500 1.500 0 1010.500 4zM10.500 10.500V12a1.500 1.500 0 101.500-1.500zM5.500 10.500H4A1.500 1.500 0 105.500 12z',
  sliders: 'M3 5h6M12 5h1M3 11h1M7 11h6M10.500 3.500v3M5.500 9.500v3',
  question: 'M8 2a6 6 0 100 12A6 6 0 008 2zM6.300 6.300a1.700 1.700 0 113 1.100c-.8.600-1.300.900-1.300 1.800M8 11.300v.1',
  more: 'M3.500 8v.1M8 8v.1M12.500 8v.1',
} as const

/** The name of an icon. */
export type IconName = keyof typeof PATHS

/** An icon next to a text that says the same. Screen readers skip it. */
export function Icon({ name, class: className = '' }: { name: IconName; class?: string }): JSX.Element {
  return (
    <svg class={`icon ${className}`} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  )
}

/** The mark of Portcall. */
export function Mark(): JSX.Element {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect class="mark-ground" width="32" height="32" rx="8" />
      <path class="mark-arc" d="M19 7a9 9 0 1 1 0 18" />
      <path class="mark-arrow" d="M5 16h12.5M13.5 11.5 18 16l-4.5 4.5" />
    </svg>
  )
}
