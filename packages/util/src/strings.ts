export function isString(value: unknown): value is string {
  return typeof value === 'string'
}

/** Reports whether a value is an array of strings. */
export function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isString)
}

/** Returns one or several strings as a list. */
export function toStrings(value: string | readonly string[]): readonly string[] {
  return typeof value === 'string' ? [value] : value
}
