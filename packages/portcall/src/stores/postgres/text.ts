const AWKWARD = /[\0\x01\p{Surrogate}]/u
const UNKEPT = /[\0\x01\p{Surrogate}]/gu
const KEPT = /\x01[\x01\x02]/g

/** Writes a text as PostgreSQL can keep it, which has no U+0000. The order of texts stays, and what they begin with. */
export function toKept(text: string): string {
  if (!AWKWARD.test(text)) return text
  return text.replace(UNKEPT, (unit) => (unit === '\0' ? '\x01\x01' : unit === '\x01' ? '\x01\x02' : '\ufffd'))
}

/** Reads what `toKept` has written. */
export function fromKept(text: string): string {
  return text.includes('\x01') ? text.replace(KEPT, (pair) => (pair === '\x01\x01' ? '\0' : '\x01')) : text
}

const LAST = 0x10ffff

/** The first text behind all that begin with a prefix; nothing when there is none. */
export function behindPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0)
  while (points.at(-1) === LAST) points.pop()
  const last = points.pop()
  if (last === undefined) return undefined
  return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1)
}
