/** Makes text of others safe to print: in a terminal, in a log with one entry per line, and where people compare what they read. */

/** The characters that control a terminal: control characters except line feed and tab, and those that change the direction of text. */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069]/g
/**
 * Characters that are not visible, or that change how others are displayed: control and format characters, default ignorable code points such
 * as tags and variation selectors, private use, and white space other than spaces and line feeds.
 */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2800]|\s/gu

/** Length of a line of a log or a terminal, in characters. */
const MAX_LINE_LENGTH = 4096
const MAX_CUT_BACK = 1024

/** Makes text safe for a terminal by replacing control characters with visible ones. Converts CRLF to LF. */
export function sanitize(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(CONTROL, toVisible)
}

/** Returns text as one line that is safe for a terminal and a log. Text of more than 4096 characters is cut first. Joins the lines. */
export function sanitizeLine(text: string): string {
  const line = sanitize(cutText(text, MAX_LINE_LENGTH))
  if (!line.includes('\n')) return line
  const [first = '', ...rest] = line.split('\n')
  return [first.trimEnd(), ...rest.map((part) => part.trim()).filter(Boolean)].join(' ')
}

/** Shortens a message in the middle, because its beginning says what happened, and its end what the program printed or what to change. */
export function shortenMessage(text: string, maxLength: number): string {
  const half = maxLength / 2
  return text.length > maxLength ? `${text.slice(0, half)} … ${text.slice(-half)}` : text
}

/** Returns the beginning of a text, and how much more there is. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const end = isHighSurrogate(text.charCodeAt(maxLength - 1)) ? maxLength - 1 : maxLength
  return text.slice(0, end) + noteRest(text.length - end)
}

/** Says how many characters of a text are missing. */
export function noteRest(characters: number): string {
  return characters > 0 ? `… [${characters} more characters]` : ''
}

/** Returns where to cut a text: at most at `maxLength`, and after a word where there is one, so that no part of it is mistaken for another word. */
export function endOfPart(text: string, maxLength: number): number {
  if (text.length <= maxLength) return text.length
  for (let end = maxLength; end > Math.max(0, maxLength - MAX_CUT_BACK); end--)
    if (/[\s,;"']/.test(text.charAt(end - 1))) return end
  return maxLength
}

/** Replaces characters that are not visible by their code, such as `<U+200B>`. Spaces and line feeds stay. */
export function showInvisible(text: string): string {
  return text.replace(INVISIBLE, (character) =>
    character === ' ' || character === '\n' ? character : `<U+${codeOf(character)}>`,
  )
}

/** Escapes characters that are not visible in JSON text, which keeps its meaning. */
export function escapeInvisible(json: string): string {
  return json.replace(INVISIBLE, (character) => (character === ' ' || character === '\n' ? character : escapeUnits(character)))
}

function toVisible(character: string): string {
  const code = character.charCodeAt(0)
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  if (code === 0x7f) return '\u2421'
  return `\\u${code.toString(16).padStart(4, '0')}`
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00
}

function codeOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
}

function escapeUnits(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
}
