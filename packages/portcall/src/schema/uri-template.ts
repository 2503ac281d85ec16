import { SchemaError } from './errors.ts'
import { createMatcher } from './uri-match.ts'
import { parseParts } from './uri-parts.ts'

type Joined<T> = { [K in keyof T]: T[K] }
type Named<V extends string> = V extends `${infer A},${infer B}`
  ? Named<A> & Named<B>
  : V extends `${infer N}*`
    ? { [K in N]: string[] }
    : V extends `${infer N}:${string}`
      ? { [K in N]: string }
      : { [K in V]: string }
type Expressed<E extends string> = E extends `${infer O}${infer V}`
  ? O extends '?' | '&' | ';' | '#'
    ? Partial<Named<V>>
    : O extends '+' | '.' | '/'
      ? Named<V>
      : Named<E>
  : unknown
type Collected<T extends string> = T extends `${string}{${infer E}}${infer R}` ? Expressed<E> & Collected<R> : unknown

/**
 * The variables of a URI template literal, as `match` gives them: those of the path are there, those of query, parameters and fragment may be
 * missing, exploded ones are lists.
 */
export type Variables<T extends string> = string extends T
  ? { [name: string]: string | string[] | undefined }
  : unknown extends Collected<T>
    ? { [name: string]: never }
    : Joined<Collected<T>>

/** How a template is read. */
export interface TemplateOptions {
  /** Longer URIs do not match. Default 8192 characters. */
  maxUriLength?: number
}

/** A URI template (RFC 6570, all levels) that reads URIs; `expandTemplate` makes them. https://www.rfc-editor.org/rfc/rfc6570 */
export interface UriTemplate {
  /** The template as it was written. */
  readonly template: string
  /** The names of its variables, in order, each once. */
  readonly variables: readonly string[]
  /**
   * Reads the values back out of a URI, decoded; `undefined` when it is not one of this template. Takes time linear in the URI. Where more
   * than one reading is possible, each variable is as short as it can be, from left to right. `{id}` never crosses a `/`; `{+path}` and
   * `{/path*}` do. Values that could leave the template's root are refused: a `..` segment, however it is encoded, and NUL.
   */
  match(uri: string): { [name: string]: string | string[] } | undefined
}

const MOST = { length: 8192, variables: 64 } as const

/**
 * Parses a URI template.
 *
 * @throws SchemaError that says what is wrong with it.
 */
export function parseTemplate(template: string, options: TemplateOptions = {}): UriTemplate {
  if (template.length > MOST.length) throw new SchemaError(`A URI template has at most ${MOST.length} characters`)
  const parts = parseParts(template)
  const variables = [
    ...new Set(parts.flatMap((part) => (typeof part === 'string' ? [] : part.variables.map(({ name }) => name)))),
  ]
  if (variables.length > MOST.variables) throw new SchemaError(`A URI template has at most ${MOST.variables} variables`)
  const match = createMatcher(parts)
  const { maxUriLength = 8192 } = options
  return {
    template,
    variables,
    match: (uri) => (uri.length > maxUriLength ? undefined : match(uri)),
  }
}
