import type { ConfigDocument, ConfigFormat } from './document-types.ts'

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
  yaml: async () => (await import('./formats/yaml.ts')).parseYamlConfig,
}

/** Blank lines and comments that start with `#`. */
const HEAD = /^\uFEFF?(?:[ \t]*(?:#.*)?\r?\n)*[ \t]*/
const TOML = /^(?:\[\[?(?=[^\]]*[A-Za-z_"'])[\w."' -]+\]\]?[ \t]*(?:#.*)?(?:\r?\n|$)|[\w."'-]+[ \t]*=)/
const YAML = /^(?:---|- |%YAML|(?:"[^"\n]*"|'[^'\n]*'|[\w.-]+)[ \t]*:(?:\s|$))/

function detectFormat(text: string): ConfigFormat {
  const start = text.replace(HEAD, '')
  if (TOML.test(start)) return 'toml'
  return YAML.test(start) ? 'yaml' : 'json'
}
