import { oncePer } from '../../../../util/src/once-per.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { objectCoverage } from './object-coverage.ts'
import { relocateSchema } from './relocate-schema.ts'

/** Where the definitions of a schema are, as the start of a reference. */
export const DEFINITIONS = '#/$defs/'

/** Renders the input schema of a tool for a legacy revision. All keywords are preserved. Memoized per schema. */
export const renderInputSchema: (schema: JsonObject) => JsonObject = oncePer(withoutBooleanProperties)

/**
 * Renders the output schema of a tool for a legacy revision, where the root must describe an object. A schema without objects is wrapped
 * as `{ "result": value }`, as the values are. A schema that allows objects and other values is rendered to allow both: the object
 * unchanged, and any other value wrapped. Memoized per schema.
 */
export const renderOutputSchema: (schema: JsonObject) => JsonObject = oncePer((schema) =>
  withoutBooleanProperties(withObjectRoot(schema)),
)

/** Replaces the property schemas `true` and `false`: the official schemas of these revisions allow only objects there. */
function withoutBooleanProperties(schema: JsonObject): JsonObject {
  const { properties } = schema
  if (!isObject(properties)) return schema
  const entries = Object.entries(properties)
  if (entries.every(([, property]) => isObject(property))) return schema
  const objects = entries.map(([name, property]) => [name, isObject(property) ? property : property === false ? { not: {} } : {}])
  return { ...schema, properties: Object.fromEntries(objects) }
}

function withObjectRoot(schema: JsonObject): JsonObject {
  if (schema.type === 'object') return schema
  const coverage = objectCoverage(schema)
  if (coverage === 'all') return { ...schema, type: 'object' }
  return coverage === 'none' ? wrapSchema(schema) : allowWrapped(schema)
}

/** Returns a schema for `{ result: value }`. */
function wrapSchema(schema: JsonObject): JsonObject {
  const { root, moved } = relocateSchema(schema, '#/properties/result')
  return { ...root, type: 'object', properties: { result: moved }, required: ['result'] }
}

/** Returns a schema for objects of the original schema, and for `{ result: value }`. */
function allowWrapped(schema: JsonObject): JsonObject {
  let name = 'Result'
  while (isObject(schema.$defs) && Object.hasOwn(schema.$defs, name)) name += '_'
  const $ref = DEFINITIONS + name
  const { root, moved } = relocateSchema(schema, $ref)
  const $defs = isObject(root.$defs) ? root.$defs : {}
  return { ...root, type: 'object', anyOf: wrappedOrNot($ref), $defs: { ...$defs, [name]: moved } }
}

/** The alternatives of a value that is wrapped unless it is an object. */
export function wrappedOrNot($ref: string): JsonObject[] {
  return [{ $ref }, { properties: { result: { $ref } }, required: ['result'] }]
}
