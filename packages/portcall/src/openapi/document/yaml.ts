/** Loaded only for descriptions in YAML. */
import { parseYaml } from '../../../../util/src/yaml.ts'

const MAX_VALUES = 10_000_000

/** Parses YAML. @throws YamlError. */
export function parseYamlDescription(text: string): unknown {
  return parseYaml(text, MAX_VALUES)
}
