import { fromBase64, toBase64 } from './base64.ts'

/** Encodes bytes as base64url without padding (RFC 4648, section 5). */
export function toBase64url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/**
 * Decodes base64url without padding. Returns `undefined` for any text that `toBase64url` would not return, so that no two texts decode to the
 * same bytes.
 */
export function fromBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 4 === 1 || !/^[\w-]*$/.test(text)) return undefined
  const bytes = fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'))
  return toBase64url(bytes) === text ? bytes : undefined
}
