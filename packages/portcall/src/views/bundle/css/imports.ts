import type { CSSToken } from '@csstools/css-tokenizer'

/** An `@import`. The end is exclusive. */
export interface CssImport {
  readonly reference: string
  /** The text after the file: a layer, a condition and media. */
  readonly conditions: string
  readonly start: number
  readonly end: number
  /** True if a rule comes before it, so that browsers ignore it. */
  readonly isLate: boolean
}

const IGNORED: readonly string[] = ['whitespace-token', 'comment', 'CDO-token', 'CDC-token', 'EOF-token']

const DEPTHS: { readonly [type: string]: number } = { '{-token': 1, '}-token': -1 }

/** Returns the imports of a style sheet, in order. */
export function importsOf(css: string, tokens: readonly CSSToken[]): readonly CssImport[] {
  const imports: CssImport[] = []
  let depth = 0
  let isLate = false
  let next = 0
  for (const [index, [type, , start]] of tokens.entries()) {
    if (index < next || IGNORED.includes(type)) continue
    const statement = depth === 0 ? readStatement(tokens, index) : undefined
    if (!statement) {
      isLate = true
      depth += DEPTHS[type] ?? 0
      continue
    }
    next = statement.last + 1
    const read = statement.name === 'import' ? readImport(css, tokens.slice(index + 1, statement.last)) : undefined
    const last = tokens[statement.last]
    const end = last?.[0] === 'semicolon-token' ? last[3] + 1 : css.length
    if (read) imports.push({ ...read, start, end, isLate })
  }
  return imports
}

const FIRST_STATEMENTS = ['import', 'layer', 'charset']

/** Reads the statement at a token if it is one of those that come before all rules. `last` is its last token. */
function readStatement(tokens: readonly CSSToken[], start: number): { readonly name: string; readonly last: number } | undefined {
  const token = tokens[start]
  if (token?.[0] !== 'at-keyword-token') return undefined
  const name = token[4].value.toLowerCase()
  if (!FIRST_STATEMENTS.includes(name)) return undefined
  const last = statementEnd(tokens, start)
  return tokens[last]?.[0] === '{-token' ? undefined : { name, last }
}

function statementEnd(tokens: readonly CSSToken[], start: number): number {
  for (let index = start; index < tokens.length; index++)
    if (['semicolon-token', '{-token', 'EOF-token'].includes(tokens[index]?.[0] ?? '')) return index
  return tokens.length
}

function readImport(css: string, prelude: readonly CSSToken[]): { reference: string; conditions: string } | undefined {
  const parts = prelude.filter(([type]) => !IGNORED.includes(type))
  const [first, second, third] = parts
  const isFunction = first?.[0] === 'function-token' && first[4].value.toLowerCase() === 'url'
  const named = isFunction ? second : first
  if (named?.[0] !== 'string-token' && named?.[0] !== 'url-token') return undefined
  const last = isFunction ? third : named
  const end = (prelude.at(-1)?.[3] ?? -1) + 1
  const conditions = last ? css.slice(last[3] + 1, end).trim() : ''
  return { reference: named[4].value, conditions }
}
