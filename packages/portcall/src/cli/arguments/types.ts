import { isObject, type JsonObject } from '../../jsonrpc.ts'

const MAX_DEPTH = 8

/** The JSON types that a schema allows, as far as they can be told without checking: none when it does not say. */
export function typesOf(schema: unknown, root: unknown, depth = 0): ReadonlySet<string> {
  if (!isObject(schema) || depth > MAX_DEPTH) return new Set()
  const { type, enum: values, const: value, anyOf, oneOf, $ref } = schema
  if (type !== undefined) return new Set([type].flat().filter((one) => typeof one === 'string'))
  if (Array.isArray(values)) return new Set(values.map(typeOf))
  if (value !== undefined) return new Set([typeOf(value)])
  if (typeof $ref === 'string') return typesOf(follow($ref, root), root, depth + 1)
  const options = anyOf ?? oneOf
  return new Set(Array.isArray(options) ? options.flatMap((one) => [...typesOf(one, root, depth + 1)]) : [])
}

/** The schema of a property, references followed. */
export function propertyOf(schema: unknown, name: string): JsonObject | undefined {
  const { properties } = isObject(schema) ? schema : {}
  const found = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
  const followed = isObject(found) && typeof found.$ref === 'string' ? follow(found.$ref, schema) : found
  return isObject(followed) ? followed : undefined
}

/** The part of a document that `#/a/b` names. */
export function follow(ref: string, root: unknown): unknown {
  if (!ref.startsWith('#')) return undefined
  const steps = ref.slice(1).split('/').slice(1)
  return steps
    .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((at, step) => (isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined), root)
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value
}
