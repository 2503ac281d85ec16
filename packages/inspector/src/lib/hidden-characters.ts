/** A part of a text: visible as it is, or a character that a reader would not see. */
export type TextPart = { readonly text: string } | { readonly hidden: string; readonly name: string }

/**
 * Characters that are invisible or change the order of others: controls except tab and line breaks, zero-width and bidirectional
 * characters, tags, variation selectors beyond emoji, fillers and unpaired surrogates.
 */
const HIDDEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb]|[\u{e0000}-\u{e0fff}]|\p{Cs}/gu

const NAMES: { [code: number]: string } = {
  0x00ad: 'soft hyphen',
  0x061c: 'Arabic letter mark',
  0x200b: 'zero-width space',
  0x200c: 'zero-width non-joiner',
  0x200d: 'zero-width joiner',
  0x200e: 'left-to-right mark',
  0x200f: 'right-to-left mark',
  0x202a: 'left-to-right embedding',
  0x202b: 'right-to-left embedding',
  0x202c: 'pop directional formatting',
  0x202d: 'left-to-right override',
  0x202e: 'right-to-left override',
  0x2060: 'word joiner',
  0x2066: 'left-to-right isolate',
  0x2067: 'right-to-left isolate',
  0x2068: 'first strong isolate',
  0x2069: 'pop directional isolate',
  0xfeff: 'byte order mark',
}

/** Divides a text into what is visible and what is hidden. */
export function splitHidden(text: string): TextPart[] {
  const parts: TextPart[] = []
  let end = 0
  for (const { 0: found, index } of text.matchAll(HIDDEN)) {
    // Within an emoji, the joiner is what makes one picture of several.
    if (found === '\u200d' && isEmojiJoiner(text, index)) continue
    if (index > end) parts.push({ text: text.slice(end, index) })
    parts.push(describe(found))
    end = index + found.length
  }
  if (end < text.length) parts.push({ text: text.slice(end) })
  return parts
}

const isEmojiJoiner = (text: string, index: number): boolean =>
  /[\p{Extended_Pictographic}\ufe0f\u{1f3fb}-\u{1f3ff}]$/u.test(text.slice(Math.max(0, index - 2), index)) &&
  /^\p{Extended_Pictographic}/u.test(text.slice(index + 1, index + 3))

function describe(character: string): TextPart {
  const code = character.codePointAt(0) ?? 0
  const hex = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
  const letter = code >= 0xe0020 && code <= 0xe007e ? `tag ${String.fromCodePoint(code - 0xe0000)}` : undefined
  return { hidden: hex, name: NAMES[code] ?? letter ?? 'hidden character' }
}

/** Counts the hidden characters of a text. */
export function countHidden(text: string): number {
  return splitHidden(text).filter((part) => 'hidden' in part).length
}
