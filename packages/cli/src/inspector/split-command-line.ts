const WORD = /(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/g
const PART = /\\.|"(?:[^"\\]|\\.)*"|'[^']*'/g

/** Splits a command line into words as a POSIX shell does. Variables and patterns are not expanded. */
export function splitCommandLine(text: string): string[] {
  return (text.match(WORD) ?? []).map((word) => word.replace(PART, unquote))
}

/** Returns the text of an escaped character, or of a quoted part. */
function unquote(part: string): string {
  if (part.startsWith('\\')) return part.slice(1)
  const inner = part.slice(1, -1)
  return part.startsWith('"') ? inner.replace(/\\(["\\$`])/g, '$1') : inner
}
