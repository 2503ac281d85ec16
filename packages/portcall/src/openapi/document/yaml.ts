/** Loaded only for descriptions in YAML. */
import { parse as parseYaml } from 'yaml'

/** Parses YAML, with the merge keys (`<<`) of YAML 1.1. Aliases are limited, because few of them can make a document of any size. @throws Error with the position of a mistake. */
export function parseYamlDescription(text: string): unknown {
  return parseYaml(text, { merge: true, maxAliasCount: 10_000, logLevel: 'error' })
}
