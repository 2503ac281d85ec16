import type { JsonObject } from './standard.ts'

/** Keywords whose value is a map from names to schemas. */
const MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'])

/** Keywords whose value is data, whatever it looks like. */
const DATA = new Set(['const', 'enum', 'default', 'examples'])

/** Called for each schema of a document, outer ones first. What it returns is handed to the schemas inside. */
export type Visit<T> = (schema: JsonObject, inherited: T) => T

/** Visits every schema of a JSON Schema document, and not what only looks like one: data, or a property that is called `$ref`. */
export function walkSchemas<T>(schema: unknown, inherited: T, visit: Visit<T>): void {
  if (Array.isArray(schema)) for (const item of schema) walkSchemas(item, inherited, visit)
  else if (isRecord(schema)) {
    const passed = visit(schema, inherited)
    for (const [keyword, value] of Object.entries(schema)) {
      if (DATA.has(keyword)) continue
      if (MAPS.has(keyword) && isRecord(value)) for (const child of Object.values(value)) walkSchemas(child, passed, visit)
      else walkSchemas(value, passed, visit)
    }
  }
}

/** Tells whether a value is an object but not a list. */
export function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
