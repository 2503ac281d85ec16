/*
 * Names for many servers at once. `server__name` wherever that can be read back in one way only; the rest, and what already looks like
 * the rest, gets a tail made of a hash of both. A name depends on nothing but its server and itself, so it stays what it is when
 * servers come and go, and two that differ never become one.
 */

const MOST = 128
const SEPARATOR = '__'
const TAIL = 16
const ALLOWED = /^[A-Za-z0-9_.-]+$/
const NOT_ALLOWED = /[^A-Za-z0-9_.-]+/g
const HASHED = new RegExp(`_[0-9a-f]{${TAIL}}$`)

/** What is behind a joined name. */
export interface Origin {
  readonly server: string
  readonly name: string
}

/** Makes one name of a server and a name on it: 1 to 128 characters of `[A-Za-z0-9_.-]`. */
export async function joinName({ server, name }: Origin): Promise<string> {
  const plain = server + SEPARATOR + name
  if (splitName(plain)?.server === server) return plain
  const text = new TextEncoder().encode(JSON.stringify([server, name]))
  const hash = [...new Uint8Array(await crypto.subtle.digest('SHA-256', text))].map((byte) => byte.toString(16).padStart(2, '0'))
  const readable = `${clean(server).slice(0, MOST / 3)}${SEPARATOR}${clean(name)}`.slice(0, MOST - TAIL - 1)
  return `${readable}_${hash.join('').slice(0, TAIL)}`
}

/** Reads a joined name back, unless it has a hash. */
export function splitName(joined: string): Origin | undefined {
  const at = joined.indexOf(SEPARATOR)
  const name = joined.slice(at + SEPARATOR.length)
  if (at < 1 || name === '' || joined.length > MOST || !ALLOWED.test(joined) || hasHash(joined)) return undefined
  return { server: joined.slice(0, at), name }
}

/** Tells whether a joined name has a hash, so that only who has seen it made can say what is behind it. */
export function hasHash(joined: string): boolean {
  return HASHED.test(joined)
}

function clean(text: string): string {
  return text.replace(NOT_ALLOWED, '_')
}
