/** What a terminal would obey instead of show: control characters but the line's end and the tab, and what turns the direction of text. */
const STEERING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069]/g

/** Makes text of others harmless for a terminal: what would steer it becomes visible. A carriage return before a line's end is dropped. */
export function plain(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(STEERING, visible)
}

/** The same on one line. */
export function plainLine(text: string): string {
  return plain(text).replace(/\s*\n\s*/g, ' ')
}

function visible(character: string): string {
  const code = character.charCodeAt(0)
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  if (code === 0x7f) return '\u2421'
  return `\\u${code.toString(16).padStart(4, '0')}`
}
