/** Loaded only for descriptions in YAML. */
import { parseYaml, type YamlError } from '../../../../util/src/yaml.ts'

const MAX_VALUES = 10_000_000

/** Parses YAML. @throws Error with the position of a mistake. */
export function parseYamlDescription(text: string): unknown {
  try {
    return parseYaml(text, MAX_VALUES)
  } catch (cause) {
    const { message, position } = cause as YamlError
    throw new Error(position ? `${message} at line ${position.line}, column ${position.column}` : message, { cause })
  }
}
