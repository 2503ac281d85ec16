/** The host's theme on the page. */
import type { HostContext } from './types.ts'

const SIDES = ['top', 'right', 'bottom', 'left'] as const

/**
 * Applies theme, variables, fonts, language and safe area of a host to the root element, as `connectApp` does. The safe area is in `--safe-area-top` and so on.
 * A variable that refers to one that the page does not have is left out, so that its default holds.
 */
export function applyHostStyles(context: HostContext, document: Document = globalThis.document): void {
  const { theme, styles, locale, safeAreaInsets } = context
  const root = document.documentElement
  if (theme === 'light' || theme === 'dark') {
    root.style.colorScheme = theme
    root.dataset.theme = theme
  }
  if (locale) root.lang = locale
  const variables = Object.entries(styles?.variables ?? {}).filter(
    ([name, value]) => name.startsWith('--') && typeof value === 'string',
  )
  for (const [name, value] of variables) root.style.setProperty(name, String(value))
  const computed = variables.length > 0 ? getComputedStyle(root) : undefined
  for (const [name] of variables) if (!computed?.getPropertyValue(name)) root.style.removeProperty(name)
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
