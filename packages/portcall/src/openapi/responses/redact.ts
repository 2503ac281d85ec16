/** Removes credentials from what the model gets, in every encoding in which a request carries them. */
import { isObject } from '../../jsonrpc/message.ts'
import { toBase64 } from '../../util/base64.ts'

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
  const sources = [...longestFirst.map(encodingsOf), ...longestFirst.map((secret) => encodingsOf(base64Of(secret)) + PADDING)]
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

/** Returns a text in base64 without padding. */
function base64Of(text: string): string {
  return toBase64(text).replace(/={1,2}$/, '')
}

const PADDING = '(?:=|%(?:25){0,3}3[dD]){0,2}'
const ENTITIES: { readonly [character: string]: string } = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": 'apos',
}
const JSON_ESCAPES: { readonly [character: string]: string } = {
  '"': '"',
  '/': '/',
  '\b': 'b',
  '\f': 'f',
  '\n': 'n',
  '\r': 'r',
  '\t': 't',
}

/** Returns the source of a pattern that matches a secret with any of its characters encoded. Its repetitions are bounded. */
function encodingsOf(secret: string): string {
  return secret.replaceAll(/\\+|[^A-Za-z0-9]/gu, (part) =>
    part.startsWith('\\') ? encodingsOfBackslashes(part.length) : encodingsOfCharacter(part),
  )
}

/** Matches backslashes, which JSON doubles. A run of them is one repetition, so that there is one way to match it. */
function encodingsOfBackslashes(count: number): string {
  return `(?:\\\\|%(?:25){0,3}5[cC]|&(?:amp;)?#(?:92|[xX]5[cC]);){${count},${4 * count}}`
}

/** Percent-encoded, also several times and in forms, escaped in JSON or HTML, or in base64 for URLs. */
function encodingsOfCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0
  const units = Array.from({ length: character.length }, (_, at) => hex(character.charCodeAt(at), 4))
  const forms = [
    percentEncoded(character),
    units.map((unit) => `\\\\{1,4}u${caseless(unit)}`).join(''),
    `&(?:amp;)?#0{0,4}${code};`,
    `&(?:amp;)?#[xX]0{0,4}${caseless(code.toString(16))};`,
  ]
  const entity = ENTITIES[character]
  if (entity !== undefined) forms.push(`&(?:amp;)?${entity};`)
  const jsonEscape = JSON_ESCAPES[character]
  if (jsonEscape !== undefined) forms.push(`\\\\{1,4}${escapePattern(jsonEscape)}`)
  if (character === ' ') forms.push('\\+')
  if (character === '+') forms.push('-')
  if (character === '/') forms.push('_')
  return `(?:${[...forms, escapePattern(character)].join('|')})`
}

/** Matches the bytes of a character as `%XX`, where `%` may itself be encoded. */
function percentEncoded(character: string): string {
  const bytes = new TextEncoder().encode(character)
  return Array.from(bytes, (byte) => `%(?:25){0,3}${caseless(hex(byte, 2))}`).join('')
}

function hex(code: number, length: number): string {
  return code.toString(16).padStart(length, '0')
}

/** Matches letters in either case. */
function caseless(text: string): string {
  return text.replaceAll(/[a-f]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}
