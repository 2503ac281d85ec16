/** Converts `CommaExpected` to `comma expected`. */
export function wordsOf(name: string): string {
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
}
