import { SchemaError } from '../errors.ts'
import { createMatcher } from './match.ts'
import { namesOfVariables, parseTemplateParts } from './parse.ts'

type Flatten<T> = { [K in keyof T]: T[K] }
type VariableList<V extends string> = V extends `${infer A},${infer B}`
  ? VariableList<A> & VariableList<B>
  : V extends `${infer N}*`
    ? { [K in N]: string[] }
    : V extends `${infer N}:${string}`
      ? { [K in N]: string }
      : { [K in V]: string }
/** The first variable of a list has a value. Others may be missing, as a list without them looks the same. */
type FirstOfList<V extends string> = V extends `${infer A},${infer B}`
  ? VariableList<A> & Partial<VariableList<B>>
  : VariableList<V>
type ExpressionVariables<E extends string> = E extends `${infer O}${infer V}`
  ? O extends '?' | '&' | ';' | '#'
    ? Partial<VariableList<V>>
    : O extends '+' | '.' | '/'
      ? FirstOfList<V>
      : FirstOfList<E>
  : unknown
type VariablesOf<T extends string> = T extends `${string}{${infer E}}${infer R}`
  ? ExpressionVariables<E> & VariablesOf<R>
  : unknown

/**
 * The variables of a URI template literal, as `match` returns them: the first path variable of an expression is required, others and those of
 * query, parameters and fragment are optional, and exploded ones are arrays.
 */
export type TemplateVariables<T extends string> = string extends T
  ? { [name: string]: string | string[] | undefined }
  : unknown extends VariablesOf<T>
    ? { [name: string]: never }
    : Flatten<VariablesOf<T>>

export interface TemplateOptions {
  /** Longer URIs do not match, in characters. Default: 8192. */
  maxUriLength?: number
}

/** A URI template (RFC 6570, all levels) that matches URIs. `expandTemplate` creates them. https://www.rfc-editor.org/rfc/rfc6570 */
export interface UriTemplate {
  /** The text of the template. */
  readonly template: string
  /** The names of its variables in order, without duplicates. */
  readonly variables: readonly string[]
  /**
   * Returns the decoded values of a URI, or `undefined` if the URI does not match. Takes time linear in the length of the URI.
   *
   * If several readings are possible, each variable is as short as possible, from left to right. `{id}` does not match a `/`; `{+path}` and
   * `{/path*}` do. If a path has fewer values than an expression has variables, the last ones are absent. Query parameters that the template does
   * not name are ignored. A URI with a value that could escape the root of the template does not match: a `..` segment in any encoding, or NUL.
   */
  match(uri: string): { [name: string]: string | string[] } | undefined
}

const MAX_LENGTH = 8192
/** The largest number of variables of a URI template. */
export const MAX_TEMPLATE_VARIABLES = 64

/** Parses a URI template. @throws SchemaError if it is invalid. */
export function parseTemplate(template: string, options: TemplateOptions = {}): UriTemplate {
  if (template.length > MAX_LENGTH) throw new SchemaError(`A URI template has at most ${MAX_LENGTH} characters`)
  const parts = parseTemplateParts(template)
  const variables = namesOfVariables(parts)
  if (variables.length > MAX_TEMPLATE_VARIABLES)
    throw new SchemaError(`A URI template has at most ${MAX_TEMPLATE_VARIABLES} variables`)
  const match = createMatcher(parts)
  const { maxUriLength = MAX_LENGTH } = options
  return {
    template,
    variables,
    match: (uri) => (uri.length > maxUriLength ? undefined : match(uri)),
  }
}
