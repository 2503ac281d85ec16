/** Converts JSON Schema to the dialect that OpenAI's strict mode accepts. https://platform.openai.com/docs/guides/structured-outputs */
import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { allowsType } from '../schema/model-apis.ts'
import { resolveLocal } from './local-reference.ts'

/** Keywords that strict mode accepts and that need no conversion. */
const KEPT: readonly string[] = [
  ...['type', 'title', 'description', 'enum', 'const', '$ref', 'multipleOf'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'minItems', 'maxItems'],
]
/** Keywords that only describe, or that the server checks anyway. They are dropped. */
const DROPPED: readonly string[] = [
  ...['default', 'examples', 'deprecated', '$schema', '$comment', '$id', 'format', 'minLength', 'maxLength', 'uniqueItems'],
  ...['contentEncoding', 'contentMediaType', 'readOnly', 'writeOnly', 'minProperties', 'maxProperties'],
]
/** Groups of regular expressions that strict mode does not support: lookahead and lookbehind. The server checks such patterns. */
const LOOKAROUND = /\(\?<?[=!]/
const MAX_DEPTH = 10

/** Thrown and caught in this file. */
class NotStrictError extends Error {}

/**
 * Returns the strict form of a schema, or `undefined` if strict mode cannot express it. Optional properties become nullable, because strict mode
 * requires all. Therefore a schema with an optional property that accepts null has no strict form: null and absence would be the same.
 */
export function toStrictSchema(schema: JsonObject): JsonObject | undefined {
  try {
    if (schema.type !== 'object' || schema.anyOf !== undefined) return undefined
    const isFreeForm = Object.keys(isObject(schema.properties) ? schema.properties : {}).length === 0
    if (isFreeForm && schema.additionalProperties !== false) return undefined
    return convert(schema, { root: schema, depth: 0 })
  } catch (error) {
    if (error instanceof NotStrictError) return undefined
    throw error
  }
}

/** Removes the nulls that stand for absent properties: those that the original schema does not accept. */
export function removeAbsent(value: unknown, schema: unknown, root: JsonObject): unknown {
  const resolved = resolveLocal(schema, root)
  if (Array.isArray(resolved.anyOf)) return removeAbsentFromBranch(value, resolved.anyOf, root)
  if (Array.isArray(value)) return value.map((item) => removeAbsent(item, resolved.items, root))
  if (!isObject(value)) return value
  const properties = isObject(resolved.properties) ? resolved.properties : {}
  const required = Array.isArray(resolved.required) ? resolved.required : []
  const isAbsent = (name: string, item: unknown): boolean =>
    item === null && Object.hasOwn(properties, name) && !required.includes(name) && !accepts(null, properties[name], root)
  const entries = Object.entries(value).filter(([name, item]) => !isAbsent(name, item))
  return Object.fromEntries(entries.map(([name, item]) => [name, removeAbsent(item, properties[name], root)]))
}

/** Reads a value by the first branch that accepts it without its absent properties. */
function removeAbsentFromBranch(value: unknown, branches: readonly unknown[], root: JsonObject): unknown {
  for (const branch of branches) {
    const cleaned = removeAbsent(value, branch, root)
    if (accepts(cleaned, branch, root)) return cleaned
  }
  return value
}

/** Reports whether a schema in the strict dialect accepts a value: its types, values and properties, not its limits. */
function accepts(value: unknown, schema: unknown, root: JsonObject): boolean {
  const { type, anyOf, enum: values, const: constant, properties, required, items } = resolveLocal(schema, root)
  if (Array.isArray(anyOf)) return anyOf.some((branch) => accepts(value, branch, root))
  if (type !== undefined && ![type].flat().includes(typeName(value)) && !(Number.isInteger(value) && type === 'integer'))
    return false
  if (Array.isArray(values) && !values.includes(value)) return false
  if (constant !== undefined && constant !== value) return false
  if (Array.isArray(value)) return value.every((item) => accepts(item, items, root))
  if (!isObject(value) || !isObject(properties)) return true
  const hasRequired = !Array.isArray(required) || required.every((name) => Object.hasOwn(value, String(name)))
  return (
    hasRequired &&
    Object.entries(value).every(([name, item]) => Object.hasOwn(properties, name) && accepts(item, properties[name], root))
  )
}

function typeName(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

interface Place {
  readonly root: JsonObject
  readonly depth: number
}

function convert(schema: unknown, place: Place): JsonObject {
  if (!isObject(schema) || place.depth > MAX_DEPTH) throw new NotStrictError()
  if (['$ref', 'anyOf', 'type', 'enum', 'const'].every((keyword) => schema[keyword] === undefined)) throw new NotStrictError()
  const converted: JsonObject = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (KEPT.includes(keyword)) converted[keyword] = value
    else if (!DROPPED.includes(keyword)) Object.assign(converted, convertKeyword(keyword, value, { ...place, schema }))
  }
  if (schema.$ref !== undefined) return { $ref: schema.$ref }
  if (allowsType(schema, 'object') && schema.properties === undefined) throw new NotStrictError()
  if (allowsType(schema, 'array') && schema.items === undefined) throw new NotStrictError()
  return converted
}

interface KeywordPlace extends Place {
  readonly schema: JsonObject
}

function convertKeyword(keyword: string, value: unknown, { schema, ...place }: KeywordPlace): JsonObject {
  const below = { ...place, depth: place.depth + 1 }
  if (keyword === 'pattern') return typeof value === 'string' && !LOOKAROUND.test(value) ? { pattern: value } : {}
  if (keyword === 'items') return { items: convert(value, below) }
  if (keyword === 'anyOf' && Array.isArray(value)) return { anyOf: value.map((branch) => convert(branch, below)) }
  if (keyword === '$defs') return { $defs: mapObject(value, (definition) => convert(definition, place)) }
  if (keyword === 'required') return {}
  if (keyword === 'additionalProperties' && value === false) return {}
  if (keyword !== 'properties' || !isObject(value)) throw new NotStrictError()
  const required = Array.isArray(schema.required) ? schema.required : []
  const properties = Object.entries(value).map(([name, property]) => {
    const converted = convert(property, below)
    if (required.includes(name)) return [name, converted]
    if (accepts(null, property, place.root)) throw new NotStrictError()
    return [name, orNull(converted)]
  })
  return { properties: Object.fromEntries(properties), required: Object.keys(value), additionalProperties: false }
}

function mapObject(value: unknown, map: (item: unknown) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(isObject(value) ? value : {}).map(([name, item]) => [name, map(item)]))
}

function orNull(schema: JsonObject): JsonObject {
  if (typeof schema.type !== 'string' || schema.enum !== undefined || schema.const !== undefined)
    return { anyOf: [schema, { type: 'null' }] }
  return { ...schema, type: [schema.type, 'null'] }
}
