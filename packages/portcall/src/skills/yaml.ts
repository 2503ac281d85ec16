/** The only module that imports the YAML parser. It is imported on demand. */
import { parse } from 'yaml'

/** Parses YAML to a JSON value. @throws Error with the position of the problem. */
export function parseYaml(text: string): unknown {
  return JSON.parse(JSON.stringify(parse(text, { prettyErrors: true, maxAliasCount: 32 }) ?? null))
}
