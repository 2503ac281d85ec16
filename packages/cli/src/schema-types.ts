import { resolveRef } from 'portcall/client'
import { isObject, type JsonObject } from 'portcall/jsonrpc'
import { reachable } from '../../util/src/parts.ts'

/** Returns the JSON types that a schema allows, without evaluating it; empty if it does not say. */
export function typesOf(schema: unknown, root: unknown): ReadonlySet<string> {
  const all = reachable(schema, (part) => (isObject(part) && ownTypes(part) === undefined ? alternativesOf(part, root) : []))
  return new Set(all.flatMap((part) => (isObject(part) ? (ownTypes(part) ?? []) : [])))
}

/** Returns the types that a schema names by itself, or `undefined` if it leaves them to others. */
function ownTypes({ type, enum: values, const: value }: JsonObject): string[] | undefined {
  if (type !== undefined) return [type].flat().filter((name) => typeof name === 'string')
  if (Array.isArray(values)) return values.map(typeOfValue)
  return value === undefined ? undefined : [typeOfValue(value)]
}

function alternativesOf({ anyOf, oneOf, $ref }: JsonObject, root: unknown): unknown[] {
  if (typeof $ref === 'string') return [resolveRef($ref, root)]
  const options = anyOf ?? oneOf
  return Array.isArray(options) ? options : []
}

/** Returns the schema of a property, with its reference resolved. */
export function propertyOf(schema: unknown, name: string): JsonObject | undefined {
  const { properties } = isObject(schema) ? schema : {}
  const property = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
  const resolved = isObject(property) && typeof property.$ref === 'string' ? resolveRef(property.$ref, schema) : property
  return isObject(resolved) ? resolved : undefined
}

function typeOfValue(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value
}

const MAX_ENUM_VALUES = 5

/** Returns a short name of a type for display: `string`, `"a"|"b"`, `(integer|string)[]`. */
export function typeName(schema: unknown, root: unknown): string {
  if (!isObject(schema)) return 'any'
  const { enum: values, items } = schema
  if (Array.isArray(values)) {
    const first = values.slice(0, MAX_ENUM_VALUES).map((value) => JSON.stringify(value))
    return [...first, ...(values.length > MAX_ENUM_VALUES ? ['…'] : [])].join('|')
  }
  const types = [...typesOf(schema, root)]
  if (types.length === 0) return 'any'
  return types.map((type) => (type === 'array' ? `${inParentheses(typeName(items, root))}[]` : type)).join('|')
}

function inParentheses(type: string): string {
  return type.replace(/\([^()]*\)/g, '').includes('|') ? `(${type})` : type
}
