/** Lists what the validation of untrusted schemas does not check. It loads RE2: import it when a schema has a pattern. */
import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { linearTest } from './linear-pattern.ts'

/** A keyword that is not checked. */
export interface UncheckedKeyword {
  /** The names of the properties and definitions that lead to the schema. */
  readonly path: readonly string[]
  /** The keyword, with its pattern if that is the reason. */
  readonly keyword: string
  /** The reason, and what is accepted. */
  readonly reason: string
}

/** Keywords whose members are schemas, by name. */
const MAPS: readonly string[] = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']
const DATA: readonly string[] = ['const', 'enum', 'default', 'examples']

const NOT_LINEAR = 'it has no form that takes linear time (look-around, back-references)'

/** The reasons, by keyword. */
const REASONS: { readonly [keyword: string]: string } = {
  pattern: `${NOT_LINEAR}; any text is accepted`,
  patternProperties: `${NOT_LINEAR}; properties that no other pattern and no name describes are accepted with any value`,
  unevaluatedProperties: 'the schema has patterns of property names; properties that nothing describes are accepted',
}

/** Returns the keywords of a schema that are not checked if it is untrusted. */
export function uncheckedKeywords(schema: JsonObject): UncheckedKeyword[] {
  const all: { readonly path: readonly string[]; readonly node: JsonObject }[] = []
  collect(schema, [], (path, node) => void all.push({ path, node }))
  const hasNamePatterns = all.some(({ node }) => isObject(node.patternProperties))
  return all.flatMap(({ path, node }) => {
    const names = isObject(node.patternProperties) ? Object.keys(node.patternProperties) : []
    const found = [
      ...(typeof node.pattern === 'string' && !linearTest(node.pattern) ? [['pattern', node.pattern]] : []),
      ...names.filter((name) => !linearTest(name)).map((name) => ['patternProperties', name]),
      ...(hasNamePatterns && node.unevaluatedProperties !== undefined ? [['unevaluatedProperties']] : []),
    ]
    return found.map(([keyword = '', source]) => ({
      path,
      keyword: source === undefined ? keyword : `${keyword} ${JSON.stringify(source).slice(0, 80)}`,
      reason: REASONS[keyword] ?? '',
    }))
  })
}

function collect(schema: unknown, path: readonly string[], visit: (path: readonly string[], node: JsonObject) => void): void {
  if (Array.isArray(schema)) for (const item of schema) collect(item, path, visit)
  if (!isObject(schema)) return
  visit(path, schema)
  for (const [keyword, value] of Object.entries(schema)) {
    if (DATA.includes(keyword)) continue
    if (MAPS.includes(keyword) && isObject(value))
      for (const [name, child] of Object.entries(value)) collect(child, [...path, name], visit)
    else collect(value, path, visit)
  }
}
