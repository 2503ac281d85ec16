/** Returns a text such that texts which differ only in case become the same, also for programs that compare like Go: `ſ` is an `s`. */
export function foldCase(text: string): string {
  return text.toUpperCase().toLowerCase()
}

/** Returns a member of an object whose name differs from `name`, but only in case. */
export function findCaseVariant(object: object, name: string): string | undefined {
  const folded = foldCase(name)
  return Object.keys(object).find((key) => key !== name && key.length <= 2 * name.length && foldCase(key) === folded)
}
