const QUOTE = 34
const BACKSLASH = 92
const OPENING = new Set([91, 123])
const CLOSING = new Set([93, 125])

/**
 * Tells, before it is parsed, whether a JSON text nests arrays and objects deeper than `max`. Linear in the length of the text,
 * and next to free when the text is short or has few brackets. Text that is not JSON gets some answer; the parser will refuse
 * it.
 */
export function exceedsDepth(text: string, max: number): boolean {
  return text.length > 2 * max && count(text, '[', max) + count(text, '{', max) > max && deepest(text, max) > max
}

/** Counts a character, up to one more than `max`. */
function count(text: string, character: string, max: number): number {
  let found = 0
  for (let at = text.indexOf(character); at >= 0 && found <= max; at = text.indexOf(character, at + 1)) found++
  return found
}

/** Measures the nesting, skipping strings; stops once it is deeper than `max`. */
function deepest(text: string, max: number): number {
  let depth = 0
  let most = 0
  for (let at = 0; at < text.length && most <= max; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (OPENING.has(code)) most = Math.max(most, ++depth)
    else if (CLOSING.has(code)) depth--
  }
  return most
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end < 0 ? text.length : end
}

function isEscaped(text: string, quote: number): boolean {
  let backslashes = 0
  while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes++
  return backslashes % 2 === 1
}
