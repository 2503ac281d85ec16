/*
 * Qualified names of tools and prompts: `server__name` wherever that can be split in only one way. Other names, and names that look as if
 * they ended in a hash, get a hash of both parts appended. A qualified name depends only on the server and the name, so it does not change
 * when servers are added or removed, and different items never get the same name.
 */

const MAX_LENGTH = 128
const SEPARATOR = '__'
const HASH_LENGTH = 16
const ALLOWED = /^[A-Za-z0-9_.-]+$/
const NOT_ALLOWED = /[^A-Za-z0-9_.-]+/g
const HASHED = new RegExp(`_[0-9a-f]{${HASH_LENGTH}}$`)

/** The parts of a qualified name. */
export interface QualifiedName {
  readonly server: string
  readonly name: string
}

/** Returns a name of 1 to 128 characters of `[A-Za-z0-9_.-]`. */
export async function joinQualifiedName({ server, name }: QualifiedName): Promise<string> {
  const plain = server + SEPARATOR + name
  if (splitQualifiedName(plain)?.server === server) return plain
  const text = new TextEncoder().encode(JSON.stringify([server, name]))
  const hash = [...new Uint8Array(await crypto.subtle.digest('SHA-256', text))].map((byte) => byte.toString(16).padStart(2, '0'))
  const readable = `${sanitize(server).slice(0, MAX_LENGTH / 3)}${SEPARATOR}${sanitize(name)}`
  return `${readable.slice(0, MAX_LENGTH - HASH_LENGTH - 1)}_${hash.join('').slice(0, HASH_LENGTH)}`
}

/** Splits a qualified name. Returns `undefined` for a name with a hash, and for an invalid name. */
export function splitQualifiedName(qualifiedName: string): QualifiedName | undefined {
  const at = qualifiedName.indexOf(SEPARATOR)
  const name = qualifiedName.slice(at + SEPARATOR.length)
  if (at < 1 || name === '' || qualifiedName.length > MAX_LENGTH || !ALLOWED.test(qualifiedName) || hasHash(qualifiedName))
    return undefined
  return { server: qualifiedName.slice(0, at), name }
}

/** Reports whether a qualified name ends in a hash, so that it can be resolved only by listing. */
export function hasHash(qualifiedName: string): boolean {
  return HASHED.test(qualifiedName)
}

function sanitize(text: string): string {
  return text.replace(NOT_ALLOWED, '_')
}
