/** TypeScript types for JSON Schemas: for generated modules, and to describe tools to models. */
import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { resolveRef } from './resolve-ref.ts'

/** Limits of a type. Beyond them it is `unknown`. */
export interface SchemaTypeOptions {
  /** Maximum nesting depth. Default: 12. */
  readonly maxDepth?: number
  /** Maximum number of characters, approximately. Default: 20,000. */
  readonly maxLength?: number
}

/** The document that references resolve in, and how much has been written. */
interface Position {
  readonly root: unknown
  readonly depth: number
  /** The references that are being resolved. */
  readonly refs: readonly string[]
  readonly budget: { left: number }
}

const MAX_DEPTH = 12
const MAX_LENGTH = 20_000
const PRIMITIVES: ReadonlyMap<unknown, string> = new Map([
  ['string', 'string'],
  ['number', 'number'],
  ['integer', 'number'],
  ['boolean', 'boolean'],
  ['null', 'null'],
])

/** Returns the TypeScript type of a JSON Schema; `unknown` for what TypeScript cannot express, and beyond the limits. */
export function typeOfSchema(schema: unknown, { maxDepth = MAX_DEPTH, maxLength = MAX_LENGTH }: SchemaTypeOptions = {}): string {
  return typeOf(schema, { root: schema, depth: maxDepth, refs: [], budget: { left: maxLength } })
}

function typeOf(schema: unknown, position: Position): string {
  if (schema === false) return 'never'
  if (!isObject(schema) || position.depth < 0 || position.budget.left < 0) return 'unknown'
  const type = intersection(partsOf(schema, { ...position, depth: position.depth - 1 }))
  position.budget.left -= type.length
  return type
}

/** Returns the types that a value has to have at the same time. */
function partsOf(schema: JsonObject, position: Position): string[] {
  const { $ref, enum: values, const: value, anyOf, oneOf, allOf } = schema
  if (Array.isArray(values)) return [union(values.map(literal))]
  if (value !== undefined) return [literal(value)]
  const alternatives = [anyOf, oneOf].filter((list) => Array.isArray(list))
  return [
    ...(typeof $ref === 'string' ? [referencedType($ref, position)] : []),
    ...(Array.isArray(allOf) ? allOf.map((part) => typeOf(part, position)) : []),
    ...alternatives.map((list) => union(list.map((option) => typeOf(option, position)))),
    ...ownTypes(schema, position, alternatives.length > 0),
  ]
}

function referencedType(ref: string, position: Position): string {
  if (position.refs.includes(ref)) return 'unknown'
  const schema = ref === '#' ? position.root : resolveRef(ref, position.root)
  return typeOf(schema, { ...position, refs: [...position.refs, ref] })
}

/** Returns the type that the schema has without its references and alternatives. */
function ownTypes(schema: JsonObject, position: Position, hasAlternatives: boolean): string[] {
  const types = schema.type === undefined ? inferTypes(schema) : [schema.type].flat()
  // The alternatives say more than a type alone.
  if (types.length === 0 || (hasAlternatives && schema.properties === undefined && schema.items === undefined)) return []
  const own = types.map((type) => typeOfKind(type, schema, position))
  return [union(schema.nullable === true ? [...own, 'null'] : own)]
}

function inferTypes(schema: JsonObject): string[] {
  if (schema.properties !== undefined) return ['object']
  return schema.items === undefined && schema.prefixItems === undefined ? [] : ['array']
}

function typeOfKind(type: unknown, schema: JsonObject, position: Position): string {
  if (type === 'object') return objectType(schema, position)
  if (type === 'array') return arrayType(schema, position)
  return PRIMITIVES.get(type) ?? 'unknown'
}

function objectType(schema: JsonObject, position: Position): string {
  const { properties, required, additionalProperties, patternProperties } = schema
  const described = isObject(properties) ? properties : {}
  const requiredNames = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []
  const others = requiredNames.filter((name) => !Object.hasOwn(described, name))
  const members = [
    ...Object.entries(described).map(
      ([name, property]) => `${propertyKey(name)}${requiredNames.includes(name) ? '' : '?'}: ${typeOf(property, position)}`,
    ),
    ...others.map((name) => `${propertyKey(name)}: unknown`),
  ]
  const patterns = Object.values(isObject(patternProperties) ? patternProperties : {})
  if (members.length > 0) return `{ ${[...members, ...(patterns.length > 0 ? ['[key: string]: unknown'] : [])].join('; ')} }`
  const isClosed = additionalProperties === false
  if (isClosed && patterns.length === 0) return '{ [key: string]: never }'
  const rest = isClosed ? [] : [isObject(additionalProperties) ? typeOf(additionalProperties, position) : 'unknown']
  const values = [...patterns.map((pattern) => typeOf(pattern, position)), ...rest]
  return `{ [key: string]: ${values.includes('unknown') ? 'unknown' : union(values)} }`
}

function arrayType({ items, prefixItems, additionalItems }: JsonObject, position: Position): string {
  const isOlder = Array.isArray(items)
  const tuple = Array.isArray(prefixItems) ? prefixItems : isOlder ? items : undefined
  if (!tuple) return `Array<${typeOf(items, position)}>`
  const rest = isOlder ? additionalItems : items
  const further = isObject(rest) ? [`...Array<${typeOf(rest, position)}>`] : []
  return `[${[...tuple.map((item) => typeOf(item, position)), ...further].join(', ')}]`
}

/** Returns the name of a member as TypeScript writes it. */
export function propertyKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, member]) => `${propertyKey(name)}: ${literal(member)}`)
  return members.length > 0 ? `{ ${members.join('; ')} }` : '{ [key: string]: never }'
}

function union(types: readonly string[]): string {
  return combine(types, ' | ', 'never')
}

function intersection(types: readonly string[]): string {
  return combine(
    types.filter((type) => type !== 'unknown'),
    ' & ',
    'unknown',
  )
}

/** Combines distinct types; several are put in parentheses, so that the result can be used anywhere. */
function combine(types: readonly string[], operator: string, none: string): string {
  const distinct = [...new Set(types)]
  return distinct.length > 1 ? `(${distinct.join(operator)})` : (distinct[0] ?? none)
}
