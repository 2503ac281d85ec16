/**
 * Keys that name their owner after a slash. A store in memory that is full evicts the entries of the largest group of keys, so what one owner
 * stores does not evict the entries of others.
 */
import { sha256 } from '../../../util/src/digest.ts'
import { randomId } from '../../../util/src/random.ts'

/** Enough of a hash that no two owners have the same. */
const OWNER_LENGTH = 22
const OWNER = /^[\w-]{22}(?=[./])/
const OWNER_IN_KEY = /\/[\w-]{22}(?=[./])/

/** Returns what stands for an owner in keys. */
export async function ownerKey(owner: string): Promise<string> {
  return (await sha256(owner)).slice(0, OWNER_LENGTH)
}

/** Returns the owner that a text begins with: that of an owned secret, or of a key. Empty for other texts. */
export function ownerIn(text: string): string {
  return OWNER.exec(text)?.[0] ?? ''
}

/** Returns where the owner in a key ends. Undefined for keys without one. */
export function ownerEnd(key: string): number | undefined {
  const match = OWNER_IN_KEY.exec(key)
  return match ? match.index + match[0].length : undefined
}

/** Creates a secret that names its owner, an `ownerKey`. */
export function ownedSecret(owner: string, bytes: number): string {
  return `${owner}.${randomId(bytes)}`
}

/** Returns the key of a secret: its hash, below its owner. */
export async function secretKey(prefix: string, secret: string): Promise<string> {
  return `${prefix}${ownerIn(secret)}/${await sha256(secret)}`
}
