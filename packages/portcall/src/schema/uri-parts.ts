import { SchemaError } from './errors.ts'

/** What a template can put in for a variable. */
export type TemplateValue = string | number | boolean | readonly string[] | { readonly [key: string]: string } | undefined | null

/** Values for a template. */
export type TemplateValues = { readonly [name: string]: TemplateValue }

/** One variable of an expression: `{name}`, `{name*}` or `{name:3}`. */
export interface Variable {
  readonly name: string
  readonly explode: boolean
  readonly prefix?: number
}

/** What stands between braces. */
export interface Expression {
  readonly operator: Operator
  readonly variables: readonly Variable[]
}

/** A template's pieces: literal text, already encoded, and expressions. */
export type Part = string | Expression

export type Operator = '' | '+' | '#' | '.' | '/' | ';' | '?' | '&'

const EXPRESSION = /^([+#./;?&]?)(.+)$/s
const VARIABLE = /^((?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})(?:\.?(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2}))*)(\*|:[1-9][0-9]{0,3})?$/

/**
 * Takes a URI template apart (RFC 6570, section 2).
 *
 * @throws SchemaError that says what is wrong with it.
 */
export function parseParts(template: string): Part[] {
  const parts: Part[] = []
  let position = 0
  while (position < template.length) {
    const open = template.indexOf('{', position)
    const literal = template.slice(position, open < 0 ? undefined : open)
    if (literal.includes('}')) throw fault(template, 'has a "}" without a "{"')
    if (literal !== '') parts.push(encodeLiteral(literal))
    if (open < 0) break
    const close = template.indexOf('}', open)
    if (close < 0) throw fault(template, 'has a "{" without a "}"')
    parts.push(parseExpression(template, template.slice(open + 1, close)))
    position = close + 1
  }
  return parts
}

function parseExpression(template: string, text: string): Part {
  const [, operator = '', list = ''] = EXPRESSION.exec(text) ?? []
  const variables = list.split(',').map((spec): Variable => {
    const [, name, modifier] = VARIABLE.exec(spec) ?? []
    if (name === undefined) throw fault(template, `has no valid variable in "{${text}}"`)
    return modifier?.startsWith(':')
      ? { name, explode: false, prefix: Number(modifier.slice(1)) }
      : { name, explode: modifier === '*' }
  })
  return { operator: operator as Operator, variables }
}

function encodeLiteral(literal: string): string {
  return literal.replace(/[^\x21-\x7e]+|["<>\\^`|]/gu, (text) => encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd')))
}

function fault(template: string, what: string): SchemaError {
  return new SchemaError(`The URI template "${template.slice(0, 100)}" ${what}`)
}
