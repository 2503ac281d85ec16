/** Removes credentials from what the model gets, in every encoding in which a request carries them. */

import { findEncoded } from '../../../../util/src/encoded-forms.ts'
import { isObject } from '../../jsonrpc/message.ts'

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
  const encoded = findEncoded(distinct, { base64: true })
  const text = (source: string): string => encoded.replaceIn(source, REPLACEMENT)
  const numbers = new Set(distinct.filter((secret) => secret.length >= MIN_DIGITS))
  const value = (source: unknown): unknown => {
    if (typeof source === 'string') return text(source)
    if (typeof source === 'number') return numbers.has(String(source)) ? REPLACEMENT : source
    if (Array.isArray(source)) return source.map(value)
    if (!isObject(source)) return source
    return Object.fromEntries(Object.entries(source).map(([name, item]) => [text(name), value(item)]))
  }
  const isIn = (bytes: Uint8Array): boolean => {
    return ['utf-8', 'latin1', 'utf-16le'].some((encoding) => encoded.isIn(new TextDecoder(encoding).decode(bytes)))
  }
  return { text, value, isIn }
}
