/** The host's theme on the page. */
import type { HostContext } from './types.ts'

const SIDES = ['top', 'right', 'bottom', 'left'] as const

/** Applies theme, variables, fonts, language and safe area to the root element. The safe area is in `--safe-area-top` and so on. */
export function applyContext(document: Document, { theme, styles, locale, safeAreaInsets }: HostContext): void {
  const root = document.documentElement
  if (theme === 'light' || theme === 'dark') {
    root.style.colorScheme = theme
    root.dataset.theme = theme
  }
  if (locale) root.lang = locale
  for (const [name, value] of Object.entries(styles?.variables ?? {}))
    if (name.startsWith('--') && typeof value === 'string') root.style.setProperty(name, value)
  for (const side of SIDES)
    if (typeof safeAreaInsets?.[side] === 'number') root.style.setProperty(`--safe-area-${side}`, `${safeAreaInsets[side]}px`)
  const fonts = styles?.css?.fonts
  if (typeof fonts === 'string') fontSheet(document).textContent = fonts
}

const FONT_SHEET_ID = 'portcall-fonts'

function fontSheet(document: Document): HTMLElement {
  const found = document.getElementById(FONT_SHEET_ID)
  if (found) return found
  const sheet = document.createElement('style')
  sheet.id = FONT_SHEET_ID
  document.head.append(sheet)
  return sheet
}
