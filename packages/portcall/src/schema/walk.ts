import { isObject, type JsonObject } from '../jsonrpc/message.ts'

/** Keywords whose value maps names to schemas. */
const MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'])

/** Keywords whose value is data, even if it looks like a schema. */
const DATA = new Set(['const', 'enum', 'default', 'examples'])

/**
 * Called for each schema of a document, outer schemas first. Its result is passed on to the visits of the subschemas. `step` is the way from the outer
 * schema, such as `items` or `properties.name`; empty for the root.
 */
export type SchemaVisitor<T> = (schema: JsonObject, inherited: T, step: string) => T

/** Visits every schema of a JSON Schema document, but no data that looks like a schema, such as a property named `$ref`. */
export function walkSchemas<T>(schema: unknown, inherited: T, visit: SchemaVisitor<T>): void {
  const walk = (part: unknown, outer: T, step: string): void => {
    if (Array.isArray(part)) for (const [at, item] of part.entries()) walk(item, outer, `${step}.${at}`)
    else if (isObject(part)) {
      const result = visit(part, outer, step)
      for (const [below, child] of children(part)) walk(child, result, below)
    }
  }
  walk(schema, inherited, '')
}

/** Yields what may be the schemas in a schema, each with the way to it. */
function* children(schema: JsonObject): Generator<readonly [step: string, child: unknown]> {
  for (const [keyword, value] of Object.entries(schema)) {
    if (DATA.has(keyword)) continue
    if (MAPS.has(keyword) && isObject(value))
      for (const [name, child] of Object.entries(value)) yield [`${keyword}.${name}`, child]
    else yield [keyword, value]
  }
}
