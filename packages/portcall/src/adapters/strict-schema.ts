/** Converts JSON Schema to the dialect that OpenAI's strict mode accepts. https://platform.openai.com/docs/guides/structured-outputs */
import { isObject, type JsonObject } from '../entrypoints/jsonrpc.ts'

/** Keywords that strict mode accepts and that need no conversion. */
const KEPT: readonly string[] = [
  ...['type', 'title', 'description', 'enum', 'const', '$ref', 'pattern', 'multipleOf'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'minItems', 'maxItems'],
]
/** Keywords that only describe, or that the server checks anyway. They are dropped. */
const DROPPED: readonly string[] = [
  ...['default', 'examples', 'deprecated', '$schema', '$comment', '$id', 'format', 'minLength', 'maxLength', 'uniqueItems'],
  ...['contentEncoding', 'contentMediaType', 'readOnly', 'writeOnly', 'minProperties', 'maxProperties'],
]
const MAX_DEPTH = 10

/** Thrown and caught in this file. */
class NotStrictError extends Error {}

/** Returns the strict form of a schema, or `undefined` if strict mode cannot express it. Optional properties become nullable. */
export function toStrictSchema(schema: JsonObject): JsonObject | undefined {
  try {
    if (schema.type !== 'object' || schema.anyOf !== undefined) return undefined
    return convert(schema, 0)
  } catch (error) {
    if (error instanceof NotStrictError) return undefined
    throw error
  }
}

/** Removes the nulls that stand for absent properties: those that the original schema does not require. */
export function removeAbsent(value: unknown, schema: unknown, root: JsonObject): unknown {
  const resolved = follow(schema, root)
  if (Array.isArray(value)) return value.map((item) => removeAbsent(item, resolved.items, root))
  if (!isObject(value)) return value
  const properties = isObject(resolved.properties) ? resolved.properties : {}
  const required = Array.isArray(resolved.required) ? resolved.required : []
  const entries = Object.entries(value).filter(([name, item]) => item !== null || required.includes(name))
  return Object.fromEntries(entries.map(([name, item]) => [name, removeAbsent(item, properties[name], root)]))
}

function follow(schema: unknown, root: JsonObject): JsonObject {
  if (!isObject(schema)) return {}
  const name = typeof schema.$ref === 'string' ? schema.$ref.replace('#/$defs/', '') : undefined
  const target = name !== undefined && isObject(root.$defs) ? root.$defs[name] : undefined
  return isObject(target) ? target : schema
}

function convert(schema: unknown, depth: number): JsonObject {
  if (!isObject(schema) || depth > MAX_DEPTH) throw new NotStrictError()
  if (
    schema.$ref === undefined &&
    schema.anyOf === undefined &&
    schema.type === undefined &&
    schema.enum === undefined &&
    schema.const === undefined
  )
    throw new NotStrictError()
  const converted: JsonObject = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (KEPT.includes(keyword)) converted[keyword] = value
    else if (!DROPPED.includes(keyword)) Object.assign(converted, convertKeyword(keyword, value, { schema, depth }))
  }
  if (schema.$ref !== undefined) return { $ref: schema.$ref }
  if (hasType(schema, 'object') && schema.properties === undefined) throw new NotStrictError()
  if (hasType(schema, 'array') && schema.items === undefined) throw new NotStrictError()
  return converted
}

interface KeywordPlace {
  readonly schema: JsonObject
  readonly depth: number
}

function convertKeyword(keyword: string, value: unknown, { schema, depth }: KeywordPlace): JsonObject {
  if (keyword === 'items') return { items: convert(value, depth + 1) }
  if (keyword === 'anyOf' && Array.isArray(value)) return { anyOf: value.map((branch) => convert(branch, depth + 1)) }
  if (keyword === '$defs') return { $defs: mapObject(value, (definition) => convert(definition, depth)) }
  if (keyword === 'required') return {}
  if (keyword === 'additionalProperties' && value === false) return {}
  if (keyword !== 'properties' || !isObject(value)) throw new NotStrictError()
  const required = Array.isArray(schema.required) ? schema.required : []
  const properties = Object.entries(value).map(([name, property]) => {
    const converted = convert(property, depth + 1)
    return [name, required.includes(name) ? converted : orNull(converted)]
  })
  return { properties: Object.fromEntries(properties), required: Object.keys(value), additionalProperties: false }
}

function mapObject(value: unknown, map: (item: unknown) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(isObject(value) ? value : {}).map(([name, item]) => [name, map(item)]))
}

function hasType({ type }: JsonObject, name: string): boolean {
  return type === name || (Array.isArray(type) && type.includes(name))
}

function orNull(schema: JsonObject): JsonObject {
  if (typeof schema.type !== 'string' || schema.enum !== undefined || schema.const !== undefined)
    return { anyOf: [schema, { type: 'null' }] }
  return { ...schema, type: [schema.type, 'null'] }
}
