/** Values for the style variables that a host leaves out. */

/** Colors by variable, in light and in dark. Every text has a contrast of 4.5 : 1 on the backgrounds it is meant for. */
const COLORS: { readonly [name: string]: readonly [light: string, dark: string] } = {
  'background-primary': ['#fff', '#1c1c1f'],
  'background-secondary': ['#f6f6f4', '#26262a'],
  'background-tertiary': ['#ececea', '#303035'],
  'background-inverse': ['#1c1c1f', '#f6f6f4'],
  'background-ghost': ['transparent', 'transparent'],
  'background-info': ['#e8f1fd', '#12293f'],
  'background-danger': ['#fdecea', '#3d1a19'],
  'background-success': ['#e6f6ec', '#12301f'],
  'background-warning': ['#fdf3dc', '#352a0d'],
  'background-disabled': ['#f1f1ef', '#2a2a2e'],
  'text-primary': ['#1a1a1d', '#f4f4f5'],
  'text-secondary': ['#4d4d55', '#c0c0c8'],
  'text-tertiary': ['#5f5f68', '#a9a9b2'],
  'text-inverse': ['#fff', '#1a1a1d'],
  'text-ghost': ['#4d4d55', '#c0c0c8'],
  'text-info': ['#0b5cad', '#8ec5ff'],
  'text-danger': ['#b42318', '#ffa198'],
  'text-success': ['#0f6b37', '#7ddc9f'],
  'text-warning': ['#854f00', '#f5c66b'],
  'text-disabled': ['#8e8e96', '#7a7a83'],
  'border-primary': ['#d6d6d2', '#45454b'],
  'border-secondary': ['#e5e5e2', '#38383d'],
  'border-tertiary': ['#efefed', '#2d2d31'],
  'border-inverse': ['#45454b', '#d6d6d2'],
  'border-ghost': ['transparent', 'transparent'],
  'border-info': ['#a9cdf5', '#25507a'],
  'border-danger': ['#f1b5b0', '#6e2b27'],
  'border-success': ['#a6dcb9', '#22593a'],
  'border-warning': ['#eccf8f', '#655117'],
  'border-disabled': ['#ececea', '#2e2e32'],
  'ring-primary': ['#2563eb', '#7aa7ff'],
  'ring-secondary': ['#71717a', '#a1a1aa'],
  'ring-inverse': ['#fff', '#1a1a1d'],
  'ring-info': ['#0b5cad', '#8ec5ff'],
  'ring-danger': ['#b42318', '#ffa198'],
  'ring-success': ['#0f6b37', '#7ddc9f'],
  'ring-warning': ['#854f00', '#f5c66b'],
}

/** Sizes and line heights of fonts in rem, by variable. */
const FONTS: { readonly [name: string]: readonly [size: number, lineHeight: number] } = {
  'text-xs': [0.75, 1],
  'text-sm': [0.875, 1.25],
  'text-md': [1, 1.5],
  'text-lg': [1.125, 1.75],
  'heading-xs': [0.875, 1.25],
  'heading-sm': [1, 1.5],
  'heading-md': [1.125, 1.5],
  'heading-lg': [1.25, 1.75],
  'heading-xl': [1.5, 2],
  'heading-2xl': [1.875, 2.25],
  'heading-3xl': [2.25, 2.5],
}

const OTHERS: { readonly [name: string]: string | number } = {
  'font-sans': 'system-ui,sans-serif',
  'font-mono': 'ui-monospace,monospace',
  'font-weight-normal': 400,
  'font-weight-medium': 500,
  'font-weight-semibold': 600,
  'font-weight-bold': 700,
  'border-radius-xs': '2px',
  'border-radius-sm': '4px',
  'border-radius-md': '8px',
  'border-radius-lg': '12px',
  'border-radius-xl': '16px',
  'border-radius-full': '9999px',
  'border-width-regular': '1px',
  'shadow-hairline': '0 0 0 1px #0001',
  'shadow-sm': '0 1px 2px #0002',
  'shadow-md': '0 4px 12px #0002',
  'shadow-lg': '0 12px 32px #0003',
}

/** Rules that any rule of the page overrides. */
const BASE = `:where(body){margin:0;padding:var(--safe-area-top,0) var(--safe-area-right,0) var(--safe-area-bottom,0) var(--safe-area-left,0);font:var(--font-text-md-size)/var(--font-text-md-line-height) var(--font-sans);color:var(--color-text-primary)}:where(button,input,select,textarea){font:inherit;color:inherit}:where(:focus-visible){outline:2px solid var(--color-ring-primary);outline-offset:2px}`

/** The default of each variable, by its name without `--`. */
export function defaultVariables(): { readonly [name: string]: string | number } {
  const colors = Object.entries(COLORS).map(([name, pair]) => [`color-${name}`, `light-dark(${pair})`])
  const fonts = Object.entries(FONTS).flatMap(([name, [size, lineHeight]]) => [
    [`font-${name}-size`, `${size}rem`],
    [`font-${name}-line-height`, `${lineHeight}rem`],
  ])
  return { ...Object.fromEntries([...colors, ...fonts]), ...OTHERS }
}

/**
 * Gives each of the style variables of MCP Apps a default, for light and dark, and the page its font, text color, safe area and focus ring. What the host sends,
 * and any rule of the page, comes before. Call it once, before `connectApp`, so that the first paint has a style.
 */
export function applyDefaultStyles(document: Document = globalThis.document): void {
  const id = 'portcall-defaults'
  if (document.getElementById(id)) return
  const variables = Object.entries(defaultVariables()).map(([name, value]) => `--${name}:${value}`)
  const sheet = document.createElement('style')
  sheet.id = id
  sheet.textContent = `:root{color-scheme:light dark;${variables.join(';')}}${BASE}`
  document.head.prepend(sheet)
}
