import { sanitizeLine } from '../../util/src/printable.ts'

/** The meaning of a part of a line, which its color shows. */
export type Tone = 'good' | 'warning' | 'bad' | 'quiet' | 'strong'

/** A part of a line, plain or with a tone. */
export type LinePart = string | { readonly tone: Tone; readonly text: string }

/** How lines look where they are written. */
export interface LineStyle {
  readonly hasColors: boolean
  /** The number of columns. Lines without room are broken between words. */
  readonly width: number
}

/** The codes of ANSI terminals that turn each tone on and off. */
const CODES: { readonly [tone in Tone]: readonly [on: number, off: number] } = {
  good: [32, 39],
  warning: [33, 39],
  bad: [31, 39],
  quiet: [2, 22],
  strong: [1, 22],
}

/** Breaks a line between words, and colors its parts. `indent` is that of the lines after the first. Words that are too long stay whole. */
export function renderLine(parts: readonly LinePart[], { hasColors, width }: LineStyle, indent = 0): string {
  let line = ''
  let column = 0
  for (const part of parts) {
    const { tone, text } = typeof part === 'string' ? { tone: undefined, text: part } : part
    const [on, off] = tone && hasColors ? CODES[tone].map((code) => `\u001b[${code}m`) : []
    const words = sanitizeLine(text).split(/(?<=\S)(?= )/)
    const broken = words.map((word) => {
      const { length } = [...word]
      const isBroken = column > indent && column + length > width && word.startsWith(' ')
      const shown = isBroken ? `\n${' '.repeat(indent)}${word.trimStart()}` : word
      column = isBroken ? indent + [...word.trimStart()].length : column + length
      return shown
    })
    line += `${on ?? ''}${broken.join('')}${off ?? ''}`
  }
  return line
}
