/** What a failed assertion of Vitest, Jest or node:assert looks like, so that every runner shows it as one, with the difference. */
export interface Comparison {
  readonly actual: unknown
  readonly expected: unknown
}

/** Makes the error of a failed assertion. */
export function failed(message: string, { actual, expected }: Comparison): Error {
  const error = new Error(`${message}\nexpected: ${shown(expected)}\nfound:    ${shown(actual)}`)
  return Object.assign(error, { name: 'AssertionError', code: 'ERR_ASSERTION', actual, expected, showDiff: true })
}

const MOST_SHOWN = 2000

/** A value for people, whatever it is. */
export function shown(value: unknown): string {
  const text = value instanceof RegExp || value instanceof Error ? String(value) : (JSON.stringify(value) ?? String(value))
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)} …` : text
}
