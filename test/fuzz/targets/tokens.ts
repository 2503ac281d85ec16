/** Tokens that a client could have changed: a real token with some characters replaced. */
import { createSealer, type Sealer } from '../../../packages/portcall/src/stores/sealing/seal.ts'

const KEY = 'A'.repeat(43)
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** A sealer with a fixed key and a fixed time. */
export function fixedSealer(): Sealer {
  return createSealer({ keys: [KEY], now: () => 0 })
}

/** Changes a token: each pair of bytes replaces one character; a single byte cuts the token. */
export function change(token: string, edits: Buffer): string {
  let result = token
  for (let at = 0; at + 1 < edits.length; at += 2) {
    const place = ((edits[at] as number) * 7) % (result.length || 1)
    result = result.slice(0, place) + ALPHABET[(edits[at + 1] as number) % ALPHABET.length] + result.slice(place + 1)
  }
  return edits.length % 2 === 1 ? result.slice(0, edits.at(-1)) : result
}
