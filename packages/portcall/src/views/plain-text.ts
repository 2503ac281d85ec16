/** A color code of a terminal, and a line of a stack. */
const COLOR = /\u001b\[[\d;]{0,30}m/g
const FRAME = /\n[ \t]{1,40}at [^\n]*/g

/** Returns the message of a bundler without colors and without a stack. */
export const plainText = (text: string): string => text.replace(COLOR, '').replace(FRAME, '').trim()
