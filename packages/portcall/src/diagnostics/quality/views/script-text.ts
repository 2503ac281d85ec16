/** The code and the literals of a script, told apart in linear time. */

/** A string, or a part of a template. */
export interface ScriptLiteral {
  /** The place of the quote, or of the end of the substitution before it. */
  readonly start: number
  readonly end: number
  readonly value: string
  /** True if a substitution follows in the template. */
  readonly isOpen: boolean
}

/** A script whose comments, and the contents of whose literals, are spaces. All places stay the same. */
export interface ScriptText {
  readonly code: string
  readonly literals: readonly ScriptLiteral[]
}

/** The words after which a `/` starts a regular expression. */
const BEFORE_EXPRESSION = new Set(
  'return typeof case in of do else delete void throw new instanceof yield await default'.split(' '),
)
/** The words whose parentheses a statement follows. */
const BEFORE_STATEMENT = new Set(['if', 'while', 'for', 'with'])

const TOKEN = /[A-Za-z_$][\w$]*|\d[\w.]*|\s+|[\s\S]/y
const TO_QUOTE: { readonly [quote: string]: RegExp } = {
  '"': /(?:[^"\\\n]+|\\[\s\S])*/y,
  "'": /(?:[^'\\\n]+|\\[\s\S])*/y,
}
const TEMPLATE = /(?:[^`\\$]+|\\[\s\S]|\$(?!\{))*/y

/** Reads a script. Code that is no valid JavaScript gives some result. */
export function readScript(script: string): ScriptText {
  const reader = new ScriptReader(script)
  reader.read()
  return { code: reader.parts.join(''), literals: reader.literals }
}

class ScriptReader {
  readonly parts: string[] = []
  readonly literals: ScriptLiteral[] = []
  readonly #script: string
  /** The owner of each open bracket: a template, the parentheses of a statement, or other code. */
  readonly #open: ('template' | 'statement' | 'other')[] = []
  #at = 0
  /** The token before, without spaces and comments, and its last bracket's kind. */
  #last = ''
  #closed: 'template' | 'statement' | 'other' | undefined
  /** The place from which on no regular expression ends on the same line. */
  #noRegexUntil = 0

  constructor(script: string) {
    this.#script = script
  }

  read(): void {
    while (this.#at < this.#script.length) this.#step()
  }

  #step(): void {
    const script = this.#script
    const character = script[this.#at] ?? ''
    if (character === '/' && script[this.#at + 1] === '/') return this.#blank(indexOr(script, '\n', this.#at))
    if (character === '/' && script[this.#at + 1] === '*') return this.#blank(indexOr(script, '*/', this.#at + 2) + 2)
    if (character === '"' || character === "'") return this.#string(character)
    if (character === '`') return this.#template(1)
    if (character === '}' && this.#open.at(-1) === 'template') {
      this.#open.pop()
      return this.#template(1)
    }
    if (character === '/' && this.#startsRegex() && this.#regex()) return
    this.#token()
  }

  #token(): void {
    const text = match(TOKEN, this.#script, this.#at)
    if (text.trim() === '') return this.#keep(text)
    this.#closed = undefined
    if (text === '(' || text === '[' || text === '{')
      this.#open.push(text === '(' && BEFORE_STATEMENT.has(this.#last) ? 'statement' : 'other')
    else if (text === ')' || text === ']' || text === '}') this.#closed = this.#open.pop()
    this.#keep(text)
    this.#last = (text === '+' || text === '-') && this.#last === text ? text + text : text
  }

  /** A `/` divides after a value, and starts a regular expression after anything else. */
  #startsRegex(): boolean {
    const last = this.#last
    if (last === ')') return this.#closed === 'statement'
    if (last === '' || last === '}') return true
    if (last === ']' || last === '++' || last === '--' || last === '"') return false
    return /^[\w$]/.test(last) ? BEFORE_EXPRESSION.has(last) : true
  }

  #regex(): boolean {
    if (this.#at < this.#noRegexUntil) return false
    const end = endOfRegex(this.#script, this.#at)
    if (end === undefined) {
      this.#noRegexUntil = indexOr(this.#script, '\n', this.#at)
      return false
    }
    this.#blank(end)
    this.#last = ']'
    return true
  }

  #string(quote: string): void {
    const text = match(TO_QUOTE[quote] as RegExp, this.#script, this.#at + 1)
    const end = this.#at + 1 + text.length
    this.#literal(text, end, false)
    if (this.#script[end] === quote) this.#keep(quote)
    this.#last = '"'
  }

  /** Reads a template from its start, or from the end of a substitution. */
  #template(before: number): void {
    const text = match(TEMPLATE, this.#script, this.#at + before)
    const end = this.#at + before + text.length
    const isOpen = this.#script[end] === '$'
    this.#literal(text, end, isOpen)
    this.#keep(isOpen ? '${' : this.#script.slice(end, end + 1))
    if (isOpen) this.#open.push('template')
    this.#last = isOpen ? '{' : '"'
  }

  #literal(text: string, end: number, isOpen: boolean): void {
    const start = this.#at
    this.#keep(this.#script[start] ?? '')
    this.#blank(end)
    this.literals.push({ start, end, value: text.replaceAll('\\/', '/'), isOpen })
  }

  #keep(text: string): void {
    this.parts.push(text)
    this.#at += text.length
  }

  #blank(place: number): void {
    const end = Math.min(place, this.#script.length)
    this.parts.push(' '.repeat(end - this.#at))
    this.#at = end
  }
}

/** Returns the end of a regular expression, or `undefined` if it does not end on its line. */
function endOfRegex(script: string, start: number): number | undefined {
  let isInClass = false
  for (let at = start + 1; at < script.length; at++) {
    const character = script[at]
    if (character === '\n') return undefined
    if (character === '\\') at += 1
    else if (character === '[') isInClass = true
    else if (character === ']') isInClass = false
    else if (character === '/' && !isInClass) return at + 1
  }
  return undefined
}

function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ''
}

function indexOr(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from)
  return at < 0 ? text.length : at
}
