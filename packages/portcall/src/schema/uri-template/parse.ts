import { SchemaError } from '../errors.ts'

/** The value of a template variable. */
export type TemplateValue = string | number | boolean | readonly string[] | { readonly [key: string]: string } | undefined | null

/** The values of a template by variable name. */
export type TemplateValues = { readonly [name: string]: TemplateValue }

/** One variable of an expression: `{name}`, `{name*}` or `{name:3}`. */
export interface TemplateVariable {
  readonly name: string
  readonly explode: boolean
  readonly prefix?: number
}

/** An expression in braces. */
export interface TemplateExpression {
  readonly operator: Operator
  readonly variables: readonly TemplateVariable[]
}

/** A part of a template: an expression, or literal text that is already encoded. */
export type TemplatePart = string | TemplateExpression

export type Operator = '' | '+' | '#' | '.' | '/' | ';' | '?' | '&'

const EXPRESSION = /^([+#./;?&]?)(.+)$/s
const VARIABLE = /^((?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})(?:\.?(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2}))*)(\*|:[1-9][0-9]{0,3})?$/

/** Parses a URI template (RFC 6570, section 2). @throws SchemaError if it is invalid. */
export function parseTemplateParts(template: string): TemplatePart[] {
  const parts: TemplatePart[] = []
  let position = 0
  while (position < template.length) {
    const open = template.indexOf('{', position)
    const literal = template.slice(position, open < 0 ? undefined : open)
    if (literal.includes('}')) throw invalid(template, 'has a "}" without a "{"')
    if (literal !== '') parts.push(encodeLiteral(literal))
    if (open < 0) break
    const close = template.indexOf('}', open)
    if (close < 0) throw invalid(template, 'has a "{" without a "}"')
    parts.push(parseExpression(template, template.slice(open + 1, close)))
    position = close + 1
  }
  return parts
}

/** Returns the names of the variables in order, without duplicates. */
export function namesOfVariables(parts: readonly TemplatePart[]): string[] {
  return [...new Set(parts.flatMap((part) => (typeof part === 'string' ? [] : part.variables.map(({ name }) => name))))]
}

function parseExpression(template: string, text: string): TemplatePart {
  const [, operator = '', list = ''] = EXPRESSION.exec(text) ?? []
  const variables = list.split(',').map((spec): TemplateVariable => {
    const [, name, modifier] = VARIABLE.exec(spec) ?? []
    if (name === undefined) throw invalid(template, `has no valid variable in "{${text}}"`)
    return modifier?.startsWith(':')
      ? { name, explode: false, prefix: Number(modifier.slice(1)) }
      : { name, explode: modifier === '*' }
  })
  return { operator: operator as Operator, variables }
}

function encodeLiteral(literal: string): string {
  return literal.replace(/[^\x21-\x7e]+|["<>\\^`|]/gu, (text) => encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd')))
}

function invalid(template: string, problem: string): SchemaError {
  return new SchemaError(`The URI template "${template.slice(0, 100)}" ${problem}`)
}
