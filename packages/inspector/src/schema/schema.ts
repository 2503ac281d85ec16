/** A JSON Schema as servers send it: an object, or a boolean that allows everything or nothing. */
export type Schema = boolean | SchemaObject

/** The keywords of a JSON Schema that forms use. Every other keyword is ignored here; the server still checks it. */
export interface SchemaObject {
  readonly [keyword: string]: unknown
}

/** A JSON object. */
export interface JsonObject {
  [member: string]: unknown
}

/** Reports whether a value is a JSON object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Reports whether a value is a schema. */
export function isSchema(value: unknown): value is Schema {
  return typeof value === 'boolean' || isObject(value)
}

/** Returns a keyword as a list of schemas. Empty if it is missing or has another shape. */
export function schemasIn(schema: SchemaObject, keyword: string): Schema[] {
  const list = schema[keyword]
  return Array.isArray(list) ? list.filter(isSchema) : []
}

/** Returns a keyword as a map of schemas. Empty if it is missing or has another shape. */
export function schemaMap(schema: SchemaObject, keyword: string): [name: string, schema: Schema][] {
  const map = schema[keyword]
  return isObject(map) ? Object.entries(map).filter((entry): entry is [string, Schema] => isSchema(entry[1])) : []
}

/** Returns a keyword as a string, if it is one. */
export function textOf(schema: SchemaObject, keyword: string): string | undefined {
  const value = schema[keyword]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Returns a keyword as a finite number, if it is one. */
export function numberOf(schema: SchemaObject, keyword: string): number | undefined {
  const value = schema[keyword]
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** Returns the names of the types that a schema allows. Empty if it does not say. */
export function typesOf(schema: SchemaObject): string[] {
  const { type } = schema
  if (typeof type === 'string') return [type]
  return Array.isArray(type) ? type.filter((name): name is string => typeof name === 'string') : []
}

/** Returns the JSON Schema type of a value. Numbers without a fraction are integers. */
export function typeOfValue(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}

/** Compares two JSON values. The order of members does not matter. */
export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, index) => equalJson(item, b[index]))
  if (!isObject(a) || !isObject(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && equalJson(a[key], b[key]))
}
