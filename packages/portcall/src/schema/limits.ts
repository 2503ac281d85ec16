import type { JsonObject } from '../jsonrpc/message.ts'
import { SchemaError } from './errors.ts'
import { portablePattern } from './portable-pattern.ts'
import { isStandardSchema, type StandardSchema } from './standard.ts'

/** Limits of the schemas that are accepted. */
export const SCHEMA_LIMITS: { readonly depth: number; readonly nodes: number; readonly size: number } = {
  /** Nesting depth of objects and arrays. */
  depth: 128,
  /** Objects and arrays in total. One that is used twice counts twice. */
  nodes: 10_000,
  /** Characters of the JSON text. */
  size: 256 * 1024,
}

/** The references of a schema that is not trusted. With more the compilation itself is slow: its time grows with their square. */
export const MAX_REFERENCES = 1000

/** The number of issues reported for one value. */
export const MAX_ISSUES = 20

/**
 * Returns a copy of a schema as it is sent on the wire. Regular expressions become patterns, or are left out if there is no such pattern.
 *
 * @throws SchemaError if the schema contains itself, or exceeds `SCHEMA_LIMITS`.
 */
export function copyWithinLimits(schema: JsonObject): JsonObject {
  checkSize(schema, [], { nodes: 0 })
  const text = JSON.stringify(schema, (_key, value) => (value instanceof RegExp ? portablePattern(value) : value))
  if (text.length > SCHEMA_LIMITS.size)
    throw new SchemaError(`The schema is too large: ${text.length} characters of JSON, at most ${SCHEMA_LIMITS.size} are allowed`)
  return JSON.parse(text)
}

/** Reports whether a schema can be copied. `copyWithinLimits` says why not. */
export function isWithinLimits(schema: JsonObject): boolean {
  try {
    checkSize(schema, [], { nodes: 0 })
    return true
  } catch (error) {
    if (error instanceof SchemaError) return false
    throw error
  }
}

function checkSize(value: object, ancestors: object[], count: { nodes: number }): void {
  if (ancestors.includes(value)) throw new SchemaError('The schema contains itself: use "$ref" for recursion')
  if (ancestors.length >= SCHEMA_LIMITS.depth)
    throw new SchemaError(`The schema is nested deeper than ${SCHEMA_LIMITS.depth} levels`)
  if (++count.nodes > SCHEMA_LIMITS.nodes)
    throw new SchemaError(`The schema has more than ${SCHEMA_LIMITS.nodes} objects and arrays`)
  ancestors.push(value)
  for (const [name, child] of Object.entries(value)) {
    if (isStandardSchema(child)) throw mixedSchema(name, child, ancestors.length === 1)
    if (typeof child === 'object' && child !== null) checkSize(child, ancestors, count)
  }
  ancestors.pop()
}

const OBJECT_SCHEMAS: { readonly [vendor: string]: string } = { zod: 'z.object', valibot: 'v.object', arktype: 'type' }

/** The error for a schema of a library inside a plain object, which would not validate anything. */
function mixedSchema(name: string, schema: StandardSchema, isField: boolean): SchemaError {
  const { vendor } = schema['~standard']
  const wrap = OBJECT_SCHEMAS[vendor] ?? 'an object schema of the library'
  const advice = isField ? `wrap it in ${wrap}({ … })` : `use ${vendor} for the whole schema, or convert this part to JSON Schema`
  return new SchemaError(`This is a plain object with a ${vendor} schema as ${JSON.stringify(name)}, not a schema: ${advice}`)
}
