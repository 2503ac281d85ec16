const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const INVALID = 64
const VALUES = new Uint8Array(128).fill(INVALID)
for (let value = 0; value < ALPHABET.length; value++) VALUES[ALPHABET.charCodeAt(value)] = value

/** Encodes bytes as base64url without padding (RFC 4648, section 5). */
export function toBase64url(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 3) {
    const triple = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)
    text += ALPHABET.charAt(triple >> 18) + ALPHABET.charAt((triple >> 12) & 63)
    if (at + 1 < bytes.length) text += ALPHABET.charAt((triple >> 6) & 63)
    if (at + 2 < bytes.length) text += ALPHABET.charAt(triple & 63)
  }
  return text
}

/**
 * Decodes base64url without padding. Returns `undefined` for any text that `toBase64url` would not return, so that no two texts decode to the
 * same bytes.
 */
export function fromBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 4 === 1) return undefined
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4))
  let buffer = 0
  let bits = 0
  let filled = 0
  for (let at = 0; at < text.length; at++) {
    const value = VALUES[text.charCodeAt(at)] ?? INVALID
    if (value === INVALID) return undefined
    buffer = ((buffer << 6) | value) & 0xffff
    bits += 6
    if (bits < 8) continue
    bits -= 8
    bytes[filled++] = buffer >> bits
  }
  return (buffer & ((1 << bits) - 1)) === 0 ? bytes : undefined
}
