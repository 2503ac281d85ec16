/** Patterns of a text in every encoding in which URLs, forms, JSON, HTML and headers carry it. */
import { toBase64 } from './base64.ts'

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

/** Texts to find, in every encoding. */
export interface EncodedTexts {
  /** Returns `source` with `replacement` in the place of each of the texts. */
  replaceIn(source: string, replacement: string): string
  isIn(source: string): boolean
}

/** Letters and digits are written as they are in every encoding. */
const ENCODED_CHARACTER = /[^A-Za-z0-9]/gu
/**
 * How many characters that may be encoded a pattern has at most, and how long it is: it takes about 100 characters for each, and compiling
 * one of 2000 takes seconds.
 */
const MAX_ENCODED_CHARACTERS = 256
const MAX_PATTERN_TEXT = 8000

/**
 * Finds texts in whatever encoding each of their characters is; with `base64`, also the base64 of the texts. Texts with very many characters
 * that may be encoded are found as a whole in each of the usual encodings. Takes linear time.
 */
export function findEncoded(texts: readonly string[], options: { base64?: boolean } = {}): EncodedTexts {
  const { base64 = false } = options
  const sources: string[] = []
  const exact: string[] = []
  let encoded = 0
  let length = 0
  // Longer ones first, because one may contain another.
  for (const text of texts.toSorted((a, b) => b.length - a.length)) {
    encoded += text.match(ENCODED_CHARACTER)?.length ?? 0
    length += text.length
    if (encoded <= MAX_ENCODED_CHARACTERS && length <= MAX_PATTERN_TEXT)
      sources.push(encodedForms(text), ...(base64 ? [base64Forms(text)] : []))
    else exact.push(...usualForms(text), ...(base64 ? usualForms(toBase64(text).replace(/={1,2}$/, '')) : []))
  }
  const pattern = sources.length > 0 ? new RegExp(sources.join('|'), 'g') : undefined
  return {
    replaceIn(source, replacement) {
      const rest = exact.reduce((text, form) => text.replaceAll(form, () => replacement), source)
      return pattern ? rest.replace(pattern, () => replacement) : rest
    },
    isIn: (source) => exact.some((form) => source.includes(form)) || (pattern !== undefined && source.search(pattern) >= 0),
  }
}

/** Returns a text as it is, in a URL, in a form and in JSON. */
function usualForms(text: string): string[] {
  const form = new URLSearchParams([['', text]]).toString().slice(1)
  return [...new Set([text, form, form.replaceAll('+', '%20'), JSON.stringify(text).slice(1, -1)])]
}

/** Returns the source of a pattern that matches a text with any of its characters encoded. Its repetitions are bounded. */
function encodedForms(text: string): string {
  return text.replaceAll(/\\+|[^A-Za-z0-9]/gu, (part) =>
    part.startsWith('\\') ? encodingsOfBackslashes(part.length) : encodingsOfCharacter(part),
  )
}

/** Returns the source of a pattern that matches the base64 of a text. */
function base64Forms(text: string): string {
  return encodedForms(toBase64(text).replace(/={1,2}$/, '')) + PADDING
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
