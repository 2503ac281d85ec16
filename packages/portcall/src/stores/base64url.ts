const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const FOREIGN = 64
const VALUES = new Uint8Array(128).fill(FOREIGN)
for (let value = 0; value < ALPHABET.length; value++) VALUES[ALPHABET.charCodeAt(value)] = value

/** Writes bytes in base64url without padding (RFC 4648, section 5). */
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
 * Reads base64url without padding; nothing when the text is not exactly what `toBase64url` writes. Being that strict, no two
 * texts read as the same bytes.
 */
export function fromBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 4 === 1) return undefined
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4))
  let buffer = 0
  let bits = 0
  let filled = 0
  for (let at = 0; at < text.length; at++) {
    const value = VALUES[text.charCodeAt(at)] ?? FOREIGN
    if (value === FOREIGN) return undefined
    buffer = ((buffer << 6) | value) & 0xffff
    bits += 6
    if (bits < 8) continue
    bits -= 8
    bytes[filled++] = buffer >> bits
  }
  return (buffer & ((1 << bits) - 1)) === 0 ? bytes : undefined
}
