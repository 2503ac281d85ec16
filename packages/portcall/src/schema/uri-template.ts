/** The variables of a URI template literal: path variables are there, query variables may be missing, exploded ones are lists. */
export type Variables<T extends string> = string extends T ? { [name: string]: string | string[] } : { [name: string]: string } & { readonly template?: T }

/** Values for a template. */
export type TemplateValues = { readonly [name: string]: string | number | boolean | readonly string[] | { readonly [key: string]: string } | undefined | null }

/** How a template is read. */
export interface TemplateOptions {
  /** Longer URIs do not match. Default 8192 characters. */
  maxUriLength?: number
}

/** A URI template (RFC 6570, all levels) that works in both directions. */
export interface UriTemplate {
  /** The template as it was written. */
  readonly template: string
  /** The names of its variables, in order, each once. */
  readonly variables: readonly string[]
  /** Puts values in. Missing ones leave nothing behind. */
  expand(values: TemplateValues): string
  /** Reads the values back out of a URI, decoded; `undefined` when it is not one of this template. */
  match(uri: string): { [name: string]: string | string[] } | undefined
}

/** Parses a template. */
export function parseTemplate(template: string, options: TemplateOptions = {}): UriTemplate {
  throw new Error(`not there: ${template} ${typeof options}`)
}
