/** Quotes a word for a POSIX shell, if it needs quotes. */
export function quote(word: string): string {
  return /^[\w@%+=:,./•-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
