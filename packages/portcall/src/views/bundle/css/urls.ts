import { type CSSToken, tokenize } from '@csstools/css-tokenizer'

/** A reference to a file in a style sheet. The end is exclusive. */
export interface CssReference {
  readonly reference: string
  readonly start: number
  readonly end: number
  /** True for a string that is no part of `url()`, as in `image-set("a.png" 1x)`. */
  readonly isBare: boolean
}

/** The functions in which strings are references. */
const IMAGE_SETS = ['image-set', '-webkit-image-set', 'cross-fade', 'image']
const URL_FUNCTIONS = ['url', 'src']

/** Returns the tokens of a style sheet. */
export function tokensOf(css: string): readonly CSSToken[] {
  return tokenize({ css })
}

/** Returns the references of a style sheet, except those of `@import` and `@namespace`, in order. */
export function referencesOf(tokens: readonly CSSToken[]): readonly CssReference[] {
  const found: CssReference[] = []
  const functions: string[] = []
  let isSkipped = false
  for (const token of tokens) {
    if (token[0] === 'at-keyword-token') isSkipped = WITHOUT_REFERENCES.includes(token[4].value.toLowerCase())
    else if (token[0] === 'semicolon-token' || token[0] === '{-token') isSkipped = false
    follow(functions, token)
    const reference = isSkipped ? undefined : referenceIn(token, functions.at(-1) ?? '')
    if (reference) found.push(reference)
  }
  return found
}

const WITHOUT_REFERENCES = ['import', 'namespace', 'charset']

/** Keeps the names of the functions that are open. */
function follow(functions: string[], token: CSSToken): void {
  if (token[0] === 'function-token') functions.push(token[4].value.toLowerCase())
  else if (token[0] === '(-token') functions.push('')
  else if (token[0] === ')-token') functions.pop()
}

function referenceIn(token: CSSToken, within: string): CssReference | undefined {
  if (token[0] !== 'url-token' && token[0] !== 'string-token') return undefined
  const [type, , start, last, { value: reference }] = token
  const isBare = type === 'url-token' || IMAGE_SETS.includes(within)
  return isBare || URL_FUNCTIONS.includes(within) ? { reference, start, end: last + 1, isBare } : undefined
}

/** Returns a reference as `url()`. */
export const printUrl = (reference: string): string => `url(${printString(reference)})`

/** Returns a string of a style sheet. */
export const printString = (text: string): string =>
  `"${text.replace(/["\\\n\r\f]/g, (char) => `\\${char.charCodeAt(0).toString(16)} `)}"`

/** Replaces references of a style sheet. `replace` returns undefined to keep one. */
export function rewriteUrls(css: string, replace: (reference: string) => string | undefined): string {
  let end = 0
  const pieces: string[] = []
  for (const found of referencesOf(tokensOf(css))) {
    const replaced = replace(found.reference)
    if (replaced === undefined) continue
    pieces.push(css.slice(end, found.start), found.isBare ? printUrl(replaced) : printString(replaced))
    end = found.end
  }
  return [...pieces, css.slice(end)].join('')
}
