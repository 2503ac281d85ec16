import { toBase64url } from './base64url.ts'

/**
 * Returns a random id in base64url. The default of 16 bytes gives 22 characters, which cannot be guessed. An id never starts with a dash:
 * on a command line that would be a flag.
 */
export function randomId(bytes = 16): string {
  const id = toBase64url(crypto.getRandomValues(new Uint8Array(bytes)))
  return id.startsWith('-') ? randomId(bytes) : id
}
