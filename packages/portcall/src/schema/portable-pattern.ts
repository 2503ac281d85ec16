/** A part of a regular expression. */
interface Token {
  /** The text for the published pattern. */
  readonly text: string
  /** True if it matches a character of two code units as two characters, without the flag `u`. */
  readonly isWide?: boolean
  /** True if it consumes no character: an assertion, a parenthesis, an alternative. */
  readonly isEmpty?: boolean
}

/** Thrown for a regular expression that no pattern stands for. Internal. */
class NotPortableError extends Error {}

const QUANTIFIER = /^(?:[*+?]|\{(\d+)(?:,\d*)?\})\??/
const SYNTAX = /[\\^$.*+?()[\]{}|/]/
/** Members of a class or escapes that mean the same everywhere. `\d` … are followed by nothing, `\x` and `\u` by digits. */
const ESCAPE = /^\\(?:[dDwWsStnrvf]|x[\da-fA-F]{2}|u[\da-fA-F]{4}|0(?!\d)|c[a-zA-Z])/
const SURROGATE = /^\\u[dD][89a-fA-F]|[\uD800-\uDFFF]/

/**
 * Returns the pattern that matches the same texts as a regular expression, in every implementation of JSON Schema: with and without the flag
 * `u`. Returns `undefined` if there is none: for look-behind, properties of characters, and flags whose effect a pattern cannot express.
 *
 * The flag `i` becomes classes of both cases, `s` becomes `[\s\S]`, and `y` an anchor.
 * https://json-schema.org/draft/2020-12/json-schema-core#section-6.4
 */
export function portablePattern({ source, flags }: RegExp): string | undefined {
  try {
    const text = translate(source, flags)
    new RegExp(text)
    new RegExp(text, 'u')
    return text
  } catch {
    return undefined
  }
}

function translate(source: string, flags: string): string {
  const mode = { flags, hasUnicode: /[uv]/.test(flags), ignoresCase: flags.includes('i') }
  const hasWide = /\.|\[\^|\\[DWS]/.test(source)
  const parts: string[] = []
  /** How many wide tokens have to match next to each other. Two of them match one character of two code units. */
  let wide = 0
  for (let rest = source; rest !== ''; ) {
    const length = lengthOfToken(rest, flags)
    const token = translateToken(rest.slice(0, length), mode)
    const quantifier = token.isEmpty && token.text !== ')' ? '' : (QUANTIFIER.exec(rest.slice(length))?.[0] ?? '')
    const times = minimumOf(quantifier)
    wide = nextWide(wide, token, times)
    if (!mode.hasUnicode && (wide > 1 || (hasWide && token.text === ')' && times > 1))) throw new NotPortableError()
    parts.push(token.text, quantifier)
    rest = rest.slice(length + quantifier.length)
  }
  return flags.includes('y') ? `^(?:${parts.join('')})` : parts.join('')
}

function minimumOf(quantifier: string): number {
  const times = QUANTIFIER.exec(quantifier)?.[1]
  return times === undefined ? Number(quantifier === '' || quantifier.startsWith('+')) : Number(times)
}

function nextWide(wide: number, { isWide, isEmpty }: Token, times: number): number {
  if (isWide) return wide + times
  return isEmpty || times === 0 ? wide : 0
}

/** Returns the length of the token that a regular expression starts with. */
function lengthOfToken(rest: string, flags: string): number {
  if (rest.startsWith('\\')) return ESCAPE.exec(rest)?.[0].length ?? (/^\\[1-9]\d*/.exec(rest)?.[0].length || 2)
  if (rest.startsWith('(')) return /^\((?:\?(?:<[^=!>]*>|<?[:=!]|[^)]?))?/.exec(rest)?.[0].length ?? 1
  if (rest.startsWith('[')) {
    const text = /^\[(?:[^\]\\]|\\[\s\S])*\]/.exec(rest)?.[0] ?? ''
    if (text === '' || (flags.includes('v') && /[[&-]{2}|\\q|[()[\]{}/|]/.test(text.slice(1, -1)))) throw new NotPortableError()
    return text.length
  }
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(rest) ? 2 : 1
}

interface Mode {
  readonly flags: string
  readonly hasUnicode: boolean
  readonly ignoresCase: boolean
}

function translateToken(token: string, mode: Mode): Token {
  const [first = ''] = token
  if (token === '.') return mode.flags.includes('s') ? { text: '[\\s\\S]', isWide: true } : { text: '.', isWide: true }
  if (first === '[') return translateClass(token, mode)
  if (first === '\\') return translateEscape(token, mode)
  if (first === '(') return openGroup(token)
  if (token === ')' || token === '|') return { text: token, isEmpty: true }
  if (token === '^' || token === '$') {
    if (mode.flags.includes('m')) throw new NotPortableError()
    return { text: token, isEmpty: true }
  }
  return literal(token, mode)
}

/** Named groups become plain ones, which are counted in the same way. */
function openGroup(token: string): Token {
  if (token === '(' || token.startsWith('(?<')) {
    if (/^\(\?<[=!]/.test(token)) throw new NotPortableError()
    return { text: '(', isEmpty: true }
  }
  if (!/^\(\?[:=!]$/.test(token)) throw new NotPortableError()
  return { text: token, isEmpty: true }
}

function translateEscape(token: string, mode: Mode): Token {
  if (/^\\[bB]$/.test(token)) return assertion(token, mode)
  if (/^\\[1-9]/.test(token)) {
    if (mode.ignoresCase) throw new NotPortableError()
    return { text: token, isWide: true }
  }
  if (/^\\[wW]$/.test(token) && mode.ignoresCase && mode.hasUnicode) throw new NotPortableError()
  if (ESCAPE.test(token)) {
    if (SURROGATE.test(token)) throw new NotPortableError()
    if (/^\\[xu]/.test(token)) return literal(String.fromCharCode(Number.parseInt(token.slice(2), 16)), mode)
    return { text: token, isWide: /^\\[DWS]$/.test(token) }
  }
  const escaped = token.slice(1)
  if (mode.hasUnicode ? !SYNTAX.test(escaped) : /[\dkxuc]/.test(escaped)) throw new NotPortableError()
  return literal(escaped, mode)
}

function assertion(text: string, { ignoresCase, hasUnicode }: Mode): Token {
  if (ignoresCase && hasUnicode) throw new NotPortableError()
  return { text, isEmpty: true }
}

/** Returns a character, or the class of its cases. */
function literal(character: string, mode: Mode): Token {
  if (SURROGATE.test(character)) throw new NotPortableError()
  const cases = casesOf(character, mode)
  if (cases.length > 1) return { text: `[${cases.join('')}]` }
  return { text: SYNTAX.test(character) ? `\\${character}` : character }
}

/** The letters beyond ASCII that the flags `iu` treat as an ASCII letter. */
const FOLDED: { readonly [letter: string]: string } = { k: '\u212A', s: '\u017F' }

function casesOf(character: string, { ignoresCase, hasUnicode }: Mode): string[] {
  if (!ignoresCase) return [character]
  const [lower, upper] = [character.toLowerCase(), character.toUpperCase()]
  if (lower === upper) return [character]
  if (!/^[a-z]$/.test(lower)) throw new NotPortableError()
  const folded = hasUnicode ? FOLDED[lower] : undefined
  return [upper, lower, ...(folded ? [folded] : [])]
}

function translateClass(token: string, mode: Mode): Token {
  const isNegated = token.startsWith('[^')
  const body = token.slice(isNegated ? 2 : 1, -1)
  if (body === '') return isNegated ? { text: '[\\s\\S]', isWide: true } : { text: '(?!)' }
  if (SURROGATE.test(body) || /\\u[dD][89a-fA-F]/.test(body)) throw new NotPortableError()
  const isWide = isNegated || /\\[DWS]/.test(body)
  return { text: `[${isNegated ? '^' : ''}${membersOf(body, mode).join('')}]`, isWide }
}

/** Translates the members of a class. */
function membersOf(body: string, mode: Mode): string[] {
  const atoms = splitMembers(body, mode)
  const members: string[] = []
  for (let index = 0; index < atoms.length; index++) {
    const [from = '', dash, to] = atoms.slice(index, index + 3)
    if (dash === '-' && to !== undefined && !isSet(from) && !isSet(to)) {
      members.push(rangeOf(from, to, mode))
      index += 2
    } else members.push(isSet(from) ? from : casesOf(from, mode).map(escapeMember).join(''))
  }
  return members
}

/** Splits a class into characters and sets such as `\d`. An escaped hyphen counts as a set, because it is never part of a range. */
function splitMembers(body: string, mode: Mode): string[] {
  const atoms: string[] = []
  for (let rest = body; rest !== ''; ) {
    const length = rest.startsWith('\\') ? (ESCAPE.exec(rest)?.[0].length ?? 2) : 1
    const text = rest.slice(0, length)
    atoms.push(text.startsWith('\\') ? memberOf(text, mode) : text)
    rest = rest.slice(length)
  }
  return atoms
}

function memberOf(text: string, mode: Mode): string {
  if (/^\\[dDsS]$/.test(text)) return text
  if (/^\\[wW]$/.test(text)) {
    if (mode.ignoresCase && mode.hasUnicode) throw new NotPortableError()
    return text
  }
  if (text === '\\b') return '\b'
  if (/^\\[xu]/.test(text) && text.length > 2) return String.fromCharCode(Number.parseInt(text.slice(2), 16))
  const control = { t: '\t', n: '\n', r: '\r', v: '\v', f: '\f', 0: '\0' }[text.slice(1)]
  if (control !== undefined) return control
  const escaped = text.slice(1)
  if (escaped.length > 1 || /[\dcxukpPB]/.test(escaped)) throw new NotPortableError()
  return escaped === '-' ? '\\-' : escaped
}

function isSet(atom: string): boolean {
  return /^\\[dDsSwW-]$/.test(atom)
}

function rangeOf(from: string, to: string, mode: Mode): string {
  const range = `${escapeMember(from)}-${escapeMember(to)}`
  if (!mode.ignoresCase) return range
  if (to > '\x7f') throw new NotPortableError()
  return [range, ...overlap(from, to, mode)].join('')
}

/** Returns the other case of the letters in a range. */
function overlap(from: string, to: string, { hasUnicode }: Mode): string[] {
  const others: string[] = []
  for (let code = from.charCodeAt(0); code <= to.charCodeAt(0); code++) {
    const character = String.fromCharCode(code)
    const other = character === character.toLowerCase() ? character.toUpperCase() : character.toLowerCase()
    if (!/[a-zA-Z]/.test(character)) continue
    others.push(other)
    const folded = hasUnicode ? FOLDED[character.toLowerCase()] : undefined
    if (folded) others.push(folded)
  }
  const isAll = others.length >= 26
  return isAll ? [others.includes('A') ? 'A-Z' : 'a-z', ...others.filter((other) => other > '\x7f')] : others
}

function escapeMember(character: string): string {
  if (/[\\\]^[-]/.test(character)) return `\\${character}`
  const code = character.charCodeAt(0)
  return code < 0x20 ? `\\x${code.toString(16).padStart(2, '0')}` : character
}
