import type { TextPosition } from './errors.ts'

/** The formats of configurations. JSON may have comments and trailing commas. */
export type ConfigFormat = 'json' | 'toml' | 'yaml'

/** The members and indexes that lead to a value. */
export type ConfigPath = readonly (string | number)[]

/** A parsed configuration. */
export interface ConfigDocument {
  readonly root: unknown
  /** Returns the position of a member or item, or else of the innermost object that contains it. */
  positionOf(path: ConfigPath): TextPosition | undefined
}

/**
 * Parses the text of a configuration. Without a format, it is detected from the first line.
 *
 * @throws ConfigError with the position of the first syntax error.
 */
export async function parseDocument(text: string, format: ConfigFormat = detectFormat(text)): Promise<ConfigDocument> {
  return (await PARSERS[format]())(text.replace(/^\uFEFF/, ''))
}

/** Loads the parser of each format on demand. */
const PARSERS: { readonly [format in ConfigFormat]: () => Promise<(text: string) => ConfigDocument> } = {
  json: async () => (await import('./formats/jsonc.ts')).parseJsonc,
  toml: async () => (await import('./formats/toml.ts')).parseToml,
  yaml: async () => (await import('./formats/yaml.ts')).parseYaml,
}

/** Blank lines and comments that start with `#`. */
const HEAD = /^\uFEFF?(?:[ \t]*(?:#.*)?\r?\n)*[ \t]*/
const TOML = /^(?:\[\[?[\w."' -]*[A-Za-z_"'][\w."' -]*\]\]?[ \t]*(?:#.*)?(?:\r?\n|$)|[\w."'-]+[ \t]*=)/
const YAML = /^(?:---|- |%YAML|(?:"[^"\n]*"|'[^'\n]*'|[\w.-]+)[ \t]*:(?:\s|$))/

function detectFormat(text: string): ConfigFormat {
  const start = text.replace(HEAD, '')
  if (TOML.test(start)) return 'toml'
  return YAML.test(start) ? 'yaml' : 'json'
}

/** Returns the position of an offset. */
export function positionAt(text: string, offset: number): TextPosition {
  const lines = text.slice(0, offset).split('\n')
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 }
}

/** Writes a position as in error messages. */
export function formatPosition({ line, column }: TextPosition): string {
  return `line ${line}, column ${column}`
}
