import { describe, expect, test } from 'vitest'
import { defaultVariables } from './default-styles.ts'

const variables = defaultVariables()

/** Returns the color of a variable in a theme, as red, green and blue from 0 to 1. */
function colorOf(name: string, theme: 'light' | 'dark'): number[] {
  const pair = /^light-dark\((#\w+),(#\w+)\)$/.exec(String(variables[`color-${name}`])) ?? []
  const hex = (pair[theme === 'light' ? 1 : 2] ?? '').slice(1)
  const digits = hex.length === 3 ? [...hex].map((digit) => digit + digit) : (hex.match(/../g) ?? [])
  return digits.map((digit) => Number.parseInt(digit, 16) / 255)
}

/** The contrast of WCAG 2.2. */
function contrast(one: number[], other: number[]): number {
  const luminance = (color: number[]) => {
    const [red = 0, green = 0, blue = 0] = color.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

const SURFACES = ['background-primary', 'background-secondary', 'background-tertiary']
const TEXTS = [
  ...['text-primary', 'text-secondary', 'text-tertiary', 'text-ghost'].map((text) => [text, SURFACES] as const),
  ...['info', 'danger', 'success', 'warning'].map(
    (state) => [`text-${state}`, ['background-primary', 'background-secondary', `background-${state}`]] as const,
  ),
  ['text-inverse', ['background-inverse']] as const,
]

describe.each(['light', 'dark'] as const)('the default colors in %s', (theme) => {
  test.each(TEXTS)('%s is readable on %j', (text, backgrounds) => {
    for (const background of backgrounds)
      expect(contrast(colorOf(text, theme), colorOf(background, theme)), background).toBeGreaterThanOrEqual(4.5)
  })

  test('the focus ring is visible on each surface', () => {
    for (const surface of SURFACES)
      expect(contrast(colorOf('ring-primary', theme), colorOf(surface, theme)), surface).toBeGreaterThanOrEqual(3)
  })
})
