import { toBase64url } from './base64url.ts'
import { toHex } from './bytes.ts'

/** Returns the SHA-256 of a text in base64url, for instance to store it in place of a secret. */
export async function sha256(text: string): Promise<string> {
  return toBase64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))))
}

/** Returns the SHA-256 of a text or of bytes as hexadecimal digits. */
export async function sha256Hex(data: string | Uint8Array): Promise<string> {
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : Uint8Array.from(data)
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return toHex(digest)
}

/** Compares two strings in a time that depends on their lengths only. */
export function constantTimeEqual(a: string, b: string): boolean {
  let difference = a.length ^ b.length
  for (let at = 0; at < b.length; at++) difference |= a.charCodeAt(at) ^ b.charCodeAt(at)
  return difference === 0
}
