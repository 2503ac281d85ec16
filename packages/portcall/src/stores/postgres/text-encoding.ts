const UNSUPPORTED = /[\0\x01\p{Surrogate}]/u
const UNSUPPORTED_ALL = /[\0\x01\p{Surrogate}]/gu
const ESCAPED = /\x01[\x01\x02]/g

/** Escapes U+0000, which PostgreSQL cannot store. Preserves the order of texts and their prefixes. Replaces lone surrogates by U+FFFD. */
export function encodeText(text: string): string {
  if (!UNSUPPORTED.test(text)) return text
  return text.replace(UNSUPPORTED_ALL, (unit) => (unit === '\0' ? '\x01\x01' : unit === '\x01' ? '\x01\x02' : '\ufffd'))
}

/** Reverses `encodeText`. */
export function decodeText(text: string): string {
  return text.includes('\x01') ? text.replace(ESCAPED, (pair) => (pair === '\x01\x01' ? '\0' : '\x01')) : text
}
