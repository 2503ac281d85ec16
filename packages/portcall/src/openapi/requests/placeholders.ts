/** Reads the placeholders of paths, also those in the syntax of routers and of URI templates. */

/** A placeholder such as `{id}`, `{proxy+}`, `{+path}` or `{id:[0-9]+}`. */
export interface Placeholder {
  /** The text between the braces. */
  readonly text: string
  /** The name without operators and patterns. */
  readonly name: string
  /** Set if the value may have several segments. */
  readonly isGreedy: boolean
}

const PLACEHOLDER = /\{([^{}]*)\}/g

/** Returns the placeholders of a path, each once. */
export function placeholdersOf(path: string): Placeholder[] {
  return [...new Set(Array.from(path.matchAll(PLACEHOLDER), ([, text = '']) => text))].map(readPlaceholder)
}

/** Replaces the placeholders of a path. */
export function replacePlaceholders(path: string, replace: (placeholder: Placeholder) => string): string {
  return path.replaceAll(PLACEHOLDER, (_, text: string) => replace(readPlaceholder(text)))
}

/** Splits a path from the query that some descriptions append to it. */
export function splitPath(path: string): { readonly path: string; readonly query: string } {
  const [start = '', query = ''] = path.replace(/#.*$/s, '').replaceAll('?}', '}').split('?', 2)
  return { path: start, query }
}

function readPlaceholder(text: string): Placeholder {
  const name = text
    .replace(/:.*$/s, '')
    .replace(/^[+#./;?&*]{1,3}/, '')
    .replace(/[+*?]{1,2}$/, '')
    .trim()
  return { text, name, isGreedy: /^[+*]|^[^:]*[+*]$|:path$/.test(text) }
}
