/** The values that an assertion compared. */
export interface Comparison {
  readonly actual: unknown
  readonly expected: unknown
  /** The exception behind the difference, if it is known. */
  readonly cause?: unknown
}

/** Creates an error that Vitest, Jest and node:assert display as a failed assertion, with the difference. */
export function assertionError(message: string, { actual, expected, cause }: Comparison): Error {
  const text = `${message}\nexpected: ${formatValue(expected)}\nreceived: ${formatValue(actual)}`
  const error = new Error(text, cause === undefined ? undefined : { cause })
  return Object.assign(error, { name: 'AssertionError', code: 'ERR_ASSERTION', actual, expected, showDiff: true })
}

const MAX_LENGTH = 2000

/** Formats any value for a message, truncated if it is long. */
export function formatValue(value: unknown): string {
  const text = value instanceof RegExp || value instanceof Error ? String(value) : (JSON.stringify(value) ?? String(value))
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)} …` : text
}
