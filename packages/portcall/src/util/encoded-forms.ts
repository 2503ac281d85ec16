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

/** Returns the source of a pattern that matches a text with any of its characters encoded. Its repetitions are bounded. */
export function encodedForms(text: string): string {
  return text.replaceAll(/\\+|[^A-Za-z0-9]/gu, (part) =>
    part.startsWith('\\') ? encodingsOfBackslashes(part.length) : encodingsOfCharacter(part),
  )
}

/** Returns the source of a pattern that matches the base64 of a text. */
export function base64Forms(text: string): string {
  return encodedForms(toBase64(text).replace(/={1,2}$/, '')) + PADDING
}

/** Returns a pattern that matches a text with any of its characters encoded. */
export function encodedPattern(text: string): RegExp {
  return new RegExp(encodedForms(text), 'g')
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
