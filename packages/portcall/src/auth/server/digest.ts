import { toBase64url } from '../../stores/base64url.ts'

/** The SHA-256 of a text, in base64url: what stands for a secret where the secret itself must not rest. */
export async function sha256(text: string): Promise<string> {
  return toBase64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))))
}

/** Compares in a time that depends on the lengths alone. */
export function isSame(a: string, b: string): boolean {
  let difference = a.length ^ b.length
  for (let at = 0; at < b.length; at++) difference |= a.charCodeAt(at) ^ b.charCodeAt(at)
  return difference === 0
}
