/** YAML. Loaded on demand, with its parser. */
import { offsetInYaml, parseYaml, type YamlError } from '../../../../../util/src/yaml.ts'
import { type ConfigDocument, positionAt } from '../document-types.ts'
import { ConfigError } from '../errors.ts'

const MAX_VALUES = 100_000

/** Parses text. @throws ConfigError with the position of the first error. */
export function parseYamlConfig(text: string): ConfigDocument {
  try {
    return { root: parseYaml(text, MAX_VALUES), positionOf: (path) => positionAt(text, offsetInYaml(text, path)) }
  } catch (cause) {
    const { message, position } = cause as YamlError
    throw new ConfigError(`The configuration is not valid YAML: ${message}`, { position })
  }
}
