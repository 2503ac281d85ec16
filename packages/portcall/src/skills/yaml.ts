/** Loaded when a manifest is read, with the YAML parser. */
import { parseYaml } from '../../../util/src/yaml.ts'

const MAX_VALUES = 10_000

/** Parses the frontmatter of a manifest, which starts in its second line, to a value of JSON. @throws YamlError. */
export function parseFrontmatterText(text: string): unknown {
  return JSON.parse(JSON.stringify(parseYaml(`\n${text}`, MAX_VALUES)))
}
