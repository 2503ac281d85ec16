const EXTENSION = /\.(?:jsonc?|toml|ya?ml)$/i

/** Reports whether a text has the extension of a configuration file. */
export function isConfigFile(text: string): boolean {
  return EXTENSION.test(text)
}
