import { isObject, type JsonObject } from '../jsonrpc/message.ts'

/** Keywords whose value maps names to schemas. */
const MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'])

/** Keywords whose value is data, even if it looks like a schema. */
const DATA = new Set(['const', 'enum', 'default', 'examples'])

/** Called for each schema of a document, outer schemas first. Its result is passed on to the visits of the subschemas. */
export type SchemaVisitor<T> = (schema: JsonObject, inherited: T) => T

/** Visits every schema of a JSON Schema document, but no data that looks like a schema, such as a property named `$ref`. */
export function walkSchemas<T>(schema: unknown, inherited: T, visit: SchemaVisitor<T>): void {
  if (Array.isArray(schema)) for (const item of schema) walkSchemas(item, inherited, visit)
  else if (isObject(schema)) {
    const result = visit(schema, inherited)
    for (const [keyword, value] of Object.entries(schema)) {
      if (DATA.has(keyword)) continue
      if (MAPS.has(keyword) && isObject(value)) for (const child of Object.values(value)) walkSchemas(child, result, visit)
      else walkSchemas(value, result, visit)
    }
  }
}
