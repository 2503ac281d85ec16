const INHERITED_NAMES: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype))

/** Reports whether a schema mentions a name that every object inherits, such as `toString`. */
export function mentionsInheritedNames(schema: unknown): boolean {
  if (typeof schema === 'string') return INHERITED_NAMES.has(schema)
  if (typeof schema !== 'object' || schema === null) return false
  return Object.entries(schema).some(([key, value]) => INHERITED_NAMES.has(key) || mentionsInheritedNames(value))
}

/** Returns a copy of a JSON value whose objects have no prototype, so that they have no inherited members. */
export function toNullPrototype(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(toNullPrototype)
  const copy = Object.create(null) as { [key: string]: unknown }
  for (const [key, item] of Object.entries(value)) copy[key] = toNullPrototype(item)
  return copy
}
