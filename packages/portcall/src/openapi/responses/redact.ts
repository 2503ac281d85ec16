/** Removes credentials from what the model gets, in every encoding in which a request carries them. */
import { isObject } from '../../jsonrpc/message.ts'
import { base64Forms, encodedForms } from '../../util/encoded-forms.ts'

/** Removes the credentials of one call. */
export interface Redactor {
  /** Returns a text in which each credential is replaced. */
  text(text: string): string
  /** Returns a JSON value in which the credentials in texts and in the names of members are replaced. */
  value(value: unknown): unknown
  /** Reports whether bytes contain a credential. */
  isIn(bytes: Uint8Array): boolean
}

const REPLACEMENT = '[secret]'
/** Shorter texts are not treated as secrets: they occur everywhere. */
const MIN_SECRET_LENGTH = 4
/** A number is replaced only if it is a secret of at least this many digits. */
const MIN_DIGITS = 8

/** Creates the redactor of some secrets. Time is linear in the length of the text. */
export function createCredentialRedactor(secrets: readonly string[]): Redactor {
  const distinct = [...new Set(secrets.filter((secret) => secret.length >= MIN_SECRET_LENGTH))]
  if (distinct.length === 0) return { text: (text) => text, value: (value) => value, isIn: () => false }
  const longestFirst = distinct.toSorted((a, b) => b.length - a.length)
  const sources = [...longestFirst.map(encodedForms), ...longestFirst.map(base64Forms)]
  const pattern = new RegExp(sources.join('|'), 'g')
  const text = (source: string): string => source.replace(pattern, REPLACEMENT)
  const numbers = new Set(distinct.filter((secret) => secret.length >= MIN_DIGITS))
  const value = (source: unknown): unknown => {
    if (typeof source === 'string') return text(source)
    if (typeof source === 'number') return numbers.has(String(source)) ? REPLACEMENT : source
    if (Array.isArray(source)) return source.map(value)
    if (!isObject(source)) return source
    return Object.fromEntries(Object.entries(source).map(([name, item]) => [text(name), value(item)]))
  }
  const isIn = (bytes: Uint8Array): boolean => {
    return ['utf-8', 'latin1', 'utf-16le'].some((encoding) => new TextDecoder(encoding).decode(bytes).search(pattern) >= 0)
  }
  return { text, value, isIn }
}
