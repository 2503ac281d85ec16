const INHERITED: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype))

/** Tells whether a schema says anything about names that every object inherits, such as `toString`. */
export function namesInherited(schema: unknown): boolean {
  if (typeof schema === 'string') return INHERITED.has(schema)
  if (typeof schema !== 'object' || schema === null) return false
  return Object.entries(schema).some(([key, value]) => INHERITED.has(key) || namesInherited(value))
}

/** A copy of a JSON value whose objects inherit nothing, so that all that is found in them is their own. */
export function withoutPrototypes(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(withoutPrototypes)
  const copy = Object.create(null) as { [key: string]: unknown }
  for (const [key, item] of Object.entries(value)) copy[key] = withoutPrototypes(item)
  return copy
}
