/** A part of a text: visible as it is, or a character that a reader would not see. */
export type TextPart = { readonly text: string } | { readonly hidden: string; readonly name: string }

/**
 * Characters that are invisible or change the order of others: controls except tab and line breaks, zero-width and bidirectional
 * characters, tags, variation selectors beyond emoji, fillers and unpaired surrogates.
 */
const HIDDEN =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: the class lists characters that join others
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb]|[\u{e0000}-\u{e0fff}]|\p{Cs}/gu

const NAMES: { [code: number]: string } = {
  173: 'soft hyphen',
  1564: 'Arabic letter mark',
  8203: 'zero-width space',
  8204: 'zero-width non-joiner',
  8205: 'zero-width joiner',
  8206: 'left-to-right mark',
  8207: 'right-to-left mark',
  8234: 'left-to-right embedding',
  8235: 'right-to-left embedding',
  8236: 'pop directional formatting',
  8237: 'left-to-right override',
  8238: 'right-to-left override',
  8288: 'word joiner',
  8294: 'left-to-right isolate',
  8295: 'right-to-left isolate',
  8296: 'first strong isolate',
  8297: 'pop directional isolate',
  65279: 'byte order mark',
}

const PLAIN = /^[\t\n\r\x20-\x7e]*$/

/** Divides a text into what is visible and what is hidden. */
export function splitHidden(text: string): TextPart[] {
  if (PLAIN.test(text)) return text === '' ? [] : [{ text }]
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
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: any of these ends an emoji
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
