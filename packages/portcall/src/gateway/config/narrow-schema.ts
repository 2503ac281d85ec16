import { isObject, type JsonObject } from '../../jsonrpc/message.ts'

/** Picks the `anyOf` branch that matches the type of the value: errors then point at the invalid member. Changes nothing if several or none match. */
export function narrowSchema(schema: JsonObject, value: unknown): JsonObject {
  if (Array.isArray(schema.anyOf)) {
    const fitting = schema.anyOf.filter((one): one is JsonObject => isObject(one) && mayDescribe(one, value))
    return fitting.length === 1 && fitting[0] ? narrowSchema(fitting[0], value) : schema
  }
  if (Array.isArray(value) && isObject(schema.items)) {
    const { items } = schema
    return { ...schema, prefixItems: value.map((item) => narrowSchema(items, item)) }
  }
  if (!isObject(value) || schema.type !== 'object') return schema
  const known = isObject(schema.properties) ? schema.properties : {}
  const entries = Object.entries(value).flatMap(([key, member]) => {
    const memberSchema = Object.hasOwn(known, key) ? known[key] : schema.additionalProperties
    return isObject(memberSchema) ? [[key, narrowSchema(memberSchema, member)] as const] : []
  })
  return { ...schema, properties: { ...known, ...Object.fromEntries(entries) } }
}

/** Reports whether a value has the type that a schema describes. */
function mayDescribe({ type, enum: values, const: constant }: JsonObject, value: unknown): boolean {
  if (Array.isArray(values)) return values.some((one) => typeof one === typeof value)
  if (constant !== undefined) return constant === value
  const actual = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value
  return [type].flat().some((one) => one === actual || (one === 'integer' && actual === 'number'))
}
