const QUOTE = 34
const BACKSLASH = 92
const OPENING = 0x7b
const CLOSING = 0x7d
const CASE_BIT = 0x20

/**
 * Tells, before it is parsed, whether a JSON text nests arrays and objects deeper than `max`. Linear in the length of the text,
 * and next to free when the text is short or has few brackets. Text that is not JSON gets some answer; the parser will refuse
 * it.
 */
export function exceedsDepth(text: string, max: number): boolean {
  return text.length > 2 * max && count(text, '[', max) + count(text, '{', max) > max && isDeeper(text, max)
}

/** Counts a character, up to one more than `max`. */
function count(text: string, character: string, max: number): number {
  let found = 0
  for (let at = text.indexOf(character); at >= 0 && found <= max; at = text.indexOf(character, at + 1)) found++
  return found
}

/** Goes through the brackets outside of strings. `[` and `{` differ in one bit, and so do `]` and `}`. */
function isDeeper(text: string, max: number): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if ((code | CASE_BIT) === OPENING && ++depth > max) return true
    else if ((code | CASE_BIT) === CLOSING) depth--
  }
  return false
}

function endOfString(text: string, start: number): number {
  let at = start + 1
  for (let code = text.charCodeAt(at); code !== QUOTE && at < text.length; code = text.charCodeAt(at))
    at += code === BACKSLASH ? 2 : 1
  return at
}
