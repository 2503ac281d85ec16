/** The style variables that Claude sets. */

/** Colors in light and in dark: red, green, blue, and the opacity if it is not 1. */
const COLORS: { readonly [name: string]: readonly [light: string, dark: string] } = {
  'background-primary': ['255, 255, 255', '48, 48, 46'],
  'background-secondary': ['245, 244, 237', '38, 38, 36'],
  'background-tertiary': ['250, 249, 245', '20, 20, 19'],
  'background-inverse': ['20, 20, 19', '250, 249, 245'],
  'background-ghost': ['255, 255, 255, 0', '48, 48, 46, 0'],
  'background-info': ['214, 228, 246', '37, 62, 95'],
  'background-danger': ['247, 236, 236', '96, 42, 40'],
  'background-success': ['233, 241, 220', '27, 70, 20'],
  'background-warning': ['246, 238, 223', '72, 58, 15'],
  'background-disabled': ['255, 255, 255, 0.5', '48, 48, 46, 0.5'],
  'text-primary': ['20, 20, 19', '250, 249, 245'],
  'text-secondary': ['61, 61, 58', '194, 192, 182'],
  'text-tertiary': ['115, 114, 108', '156, 154, 146'],
  'text-inverse': ['255, 255, 255', '20, 20, 19'],
  'text-ghost': ['115, 114, 108, 0.5', '156, 154, 146, 0.5'],
  'text-info': ['50, 102, 173', '128, 170, 221'],
  'text-danger': ['127, 44, 40', '238, 136, 132'],
  'text-success': ['38, 91, 25', '122, 185, 72'],
  'text-warning': ['90, 72, 21', '209, 160, 65'],
  'text-disabled': ['20, 20, 19, 0.5', '250, 249, 245, 0.5'],
  'border-primary': ['31, 30, 29, 0.4', '222, 220, 209, 0.4'],
  'border-secondary': ['31, 30, 29, 0.3', '222, 220, 209, 0.3'],
  'border-tertiary': ['31, 30, 29, 0.15', '222, 220, 209, 0.15'],
  'border-inverse': ['255, 255, 255, 0.3', '20, 20, 19, 0.15'],
  'border-ghost': ['31, 30, 29, 0', '222, 220, 209, 0'],
  'border-info': ['70, 130, 213', '70, 130, 213'],
  'border-danger': ['167, 61, 57', '205, 92, 88'],
  'border-success': ['67, 116, 38', '89, 145, 48'],
  'border-warning': ['128, 92, 31', '168, 120, 41'],
  'border-disabled': ['31, 30, 29, 0.1', '222, 220, 209, 0.1'],
  'ring-primary': ['20, 20, 19, 0.7', '250, 249, 245, 0.7'],
  'ring-secondary': ['61, 61, 58, 0.7', '194, 192, 182, 0.7'],
  'ring-inverse': ['255, 255, 255, 0.7', '20, 20, 19, 0.7'],
  'ring-info': ['50, 102, 173, 0.5', '128, 170, 221, 0.5'],
  'ring-danger': ['167, 61, 57, 0.5', '205, 92, 88, 0.5'],
  'ring-success': ['67, 116, 38, 0.5', '89, 145, 48, 0.5'],
  'ring-warning': ['128, 92, 31, 0.5', '168, 120, 41, 0.5'],
}

const SIZES: { readonly [name: string]: string } = {
  'font-sans': '"Anthropic Sans", system-ui, "Segoe UI", Roboto, Helvetica, Arial, sans-serif',
  'font-mono': 'ui-monospace, monospace',
  'font-text-xs-size': '12px',
  'font-text-sm-size': '14px',
  'font-text-md-size': '16px',
  'font-text-lg-size': '20px',
  'font-heading-xs-size': '12px',
  'font-heading-sm-size': '14px',
  'font-heading-md-size': '16px',
  'font-heading-lg-size': '20px',
  'font-heading-xl-size': '24px',
  'font-heading-2xl-size': '28px',
  'font-heading-3xl-size': '36px',
  'font-text-md-line-height': '1.4',
  'font-text-lg-line-height': '1.25',
  'font-heading-lg-line-height': '1.25',
  'font-heading-2xl-line-height': '1.1',
  'font-heading-3xl-line-height': '1',
  'border-radius-xs': '4px',
  'border-radius-sm': '6px',
  'border-radius-md': '8px',
  'border-radius-lg': '10px',
  'border-width-regular': '0.5px',
}

const prefixed = (entries: readonly (readonly [string, string])[]): { readonly [name: string]: string } =>
  Object.fromEntries(entries.map(([name, value]) => [`--${name}`, value]))

/** The variables by name. Those that are missing here were not observed. */
export const CLAUDE_VARIABLES: { readonly [name: string]: string } = {
  ...prefixed(
    Object.entries(COLORS).map(([name, [light, dark]]) => [`color-${name}`, `light-dark(rgba(${light}), rgba(${dark}))`]),
  ),
  ...prefixed(Object.entries(SIZES)),
}
