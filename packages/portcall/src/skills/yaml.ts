/** The only module that imports the YAML parser, and loaded when it is needed. */
import { parse } from 'yaml'

/** Parses YAML; what comes of it is JSON. @throws Error that says where it is wrong. */
export function parseYaml(text: string): unknown {
  return JSON.parse(JSON.stringify(parse(text, { prettyErrors: true, maxAliasCount: 32 }) ?? null))
}
