import { isObject, type JsonObject } from '../../jsonrpc.ts'
import { follow } from '../arguments/types.ts'

/** Where a schema stands: the document that its references lead into, and how deep it is nested. */
interface Place {
  readonly root: unknown
  readonly depth: number
}

const MAX_DEPTH = 12
const PLAIN: { readonly [type: string]: string } = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
}

/** The type of the values of a JSON Schema, as TypeScript. What cannot be said, or is nested too deep, is `unknown`. */
export function typeOf(schema: unknown, place: Place = { root: schema, depth: 0 }): string {
  if (schema === false) return 'never'
  if (!isObject(schema) || place.depth > MAX_DEPTH) return 'unknown'
  const inner = { ...place, depth: place.depth + 1 }
  const { $ref, enum: values, const: value, anyOf, oneOf, allOf } = schema
  if (typeof $ref === 'string') return typeOf(follow($ref, place.root), inner)
  if (Array.isArray(values)) return join(values.map(literal), ' | ', 'never')
  if (value !== undefined) return literal(value)
  const options = anyOf ?? oneOf
  if (Array.isArray(options))
    return join(
      options.map((one) => typeOf(one, inner)),
      ' | ',
      'never',
    )
  if (Array.isArray(allOf))
    return join(
      allOf.map((one) => typeOf(one, inner)),
      ' & ',
      'unknown',
    )
  const types = schema.type === undefined ? guess(schema) : [schema.type].flat()
  return join(
    types.map((type) => ofType(type, schema, inner)),
    ' | ',
    'unknown',
  )
}

/** A property name as it is written in a type. */
export function keyOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
}

function guess(schema: JsonObject): string[] {
  if (schema.properties !== undefined) return ['object']
  return schema.items === undefined ? [] : ['array']
}

function ofType(type: unknown, schema: JsonObject, place: Place): string {
  if (type === 'object') return objectOf(schema, place)
  if (type === 'array') return arrayOf(schema, place)
  return (typeof type === 'string' && Object.hasOwn(PLAIN, type) && PLAIN[type]) || 'unknown'
}

function objectOf({ properties, required, additionalProperties }: JsonObject, place: Place): string {
  const names = Array.isArray(required) ? required : []
  const members = Object.entries(isObject(properties) ? properties : {}).map(
    ([name, property]) => `${keyOf(name)}${names.includes(name) ? '' : '?'}: ${typeOf(property, place)}`,
  )
  if (members.length > 0) return `{ ${members.join('; ')} }`
  if (additionalProperties === false) return '{ [key: string]: never }'
  return `{ [key: string]: ${isObject(additionalProperties) ? typeOf(additionalProperties, place) : 'unknown'} }`
}

function arrayOf({ items, prefixItems }: JsonObject, place: Place): string {
  if (Array.isArray(prefixItems)) return `[${prefixItems.map((one) => typeOf(one, place)).join(', ')}]`
  return `Array<${typeOf(items, place)}>`
}

function literal(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'unknown' : JSON.stringify(value)
}

/** Joins types, each once; several are put in brackets, so that they can stand anywhere. */
function join(types: readonly string[], sign: string, none: string): string {
  const each = [...new Set(types)]
  return each.length > 1 ? `(${each.join(sign)})` : (each[0] ?? none)
}
