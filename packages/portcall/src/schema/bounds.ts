import { SchemaError } from './errors.ts'
import type { JsonObject } from './standard.ts'

/** How much schema is accepted. */
export const SCHEMA_LIMITS: { readonly depth: number; readonly nodes: number; readonly size: number } = {
  /** Objects and arrays inside one another. */
  depth: 128,
  /** Objects and arrays in all; one that is used twice counts twice. */
  nodes: 10_000,
  /** Characters of its JSON text. */
  size: 256 * 1024,
}

/**
 * Gives a copy of a schema as it crosses the wire, after checking that it is a tree of bearable size.
 *
 * @throws SchemaError when it contains itself, or is too deep or too large.
 */
export function boundedCopy(schema: JsonObject): JsonObject {
  measure(schema, [], { nodes: 0 })
  const text = JSON.stringify(schema, (_key, value) => (value instanceof RegExp ? value.source : value))
  if (text.length > SCHEMA_LIMITS.size)
    throw new SchemaError(`The schema is too large: ${text.length} characters of JSON, ${SCHEMA_LIMITS.size} are allowed`)
  return JSON.parse(text)
}

function measure(value: object, above: object[], count: { nodes: number }): void {
  if (above.includes(value)) throw new SchemaError('The schema contains itself: use "$ref" for recursion')
  if (above.length >= SCHEMA_LIMITS.depth) throw new SchemaError(`The schema is nested deeper than ${SCHEMA_LIMITS.depth} levels`)
  if (++count.nodes > SCHEMA_LIMITS.nodes)
    throw new SchemaError(`The schema has more than ${SCHEMA_LIMITS.nodes} objects and arrays`)
  above.push(value)
  for (const child of Object.values(value)) if (typeof child === 'object' && child !== null) measure(child, above, count)
  above.pop()
}
