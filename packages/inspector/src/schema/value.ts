import { type Field, fieldOf, type Variant } from './field.ts'
import { resolveSchema } from './resolve.ts'
import {
  equalJson,
  isObject,
  type JsonObject,
  type Schema,
  type SchemaObject,
  schemaMap,
  schemasIn,
  typeOfValue,
  typesOf,
} from './schema.ts'

/** A place in a JSON value: the names of members and the positions of items that lead to it. */
export type Path = readonly (string | number)[]

/** Returns the value at a place. `undefined` means that nothing is there, which differs from `null` and `''`. */
export function valueAt(value: unknown, path: Path): unknown {
  let current = value
  for (const key of path) {
    if (Array.isArray(current)) current = current[Number(key)]
    else if (isObject(current) && Object.hasOwn(current, key)) current = current[key]
    else return undefined
  }
  return current
}

/**
 * Returns a copy of a value with another value at a place. `undefined` removes a member or an item. The order of the members stays;
 * a new one comes last. Objects on the way that do not exist are created.
 */
export function withValueAt(value: unknown, path: Path, next: unknown): unknown {
  const [key, ...rest] = path
  if (key === undefined) return next
  if (Array.isArray(value)) {
    const index = Number(key)
    if (next === undefined && rest.length === 0) return value.filter((_, position) => position !== index)
    return Array.from({ length: Math.max(value.length, index + 1) }, (_, position) =>
      position === index ? withValueAt(value[position], rest, next) : (value[position] ?? null),
    )
  }
  const object = isObject(value) ? value : {}
  const child = withValueAt(Object.hasOwn(object, key) ? object[key] : undefined, rest, next)
  const entries = Object.entries(object).filter(([name]) => name !== String(key) || child !== undefined)
  const replaced = entries.map(([name, member]): [string, unknown] => [name, name === String(key) ? child : member])
  const isNew = child !== undefined && !Object.hasOwn(object, key)
  return objectOf(isNew ? [...replaced, [String(key), child]] : replaced)
}

/** `Object.fromEntries` keeps a member that is named `__proto__`. */
const objectOf = (entries: [string, unknown][]): JsonObject => Object.fromEntries(entries)

/** Returns an object with one of its members under another name, in the same position. */
export function withRenamedMember(object: JsonObject, from: string, to: string): JsonObject {
  return objectOf(Object.entries(object).map(([name, value]) => [name === from ? to : name, value]))
}

/**
 * Returns the value that a form starts with: the required members with their defaults, constants or empty containers. Optional
 * members stay unset, even if they have a default: the server applies it.
 */
export function initialValue(schema: Schema, root: Schema, depth = 0): unknown {
  const field = fieldOf(schema, root)
  if (field.default !== undefined) return field.default
  if (field.nullable && depth > 0) return null
  return INITIAL[field.kind]?.(field, root, depth)
}

const MAX_DEPTH = 6

const INITIAL: { [kind: string]: (field: Field, root: Schema, depth: number) => unknown } = {
  object: (field, root, depth) => {
    if (field.kind !== 'object' || depth > MAX_DEPTH) return {}
    const members = field.members
      .filter(({ required }) => required)
      .map((member): [string, unknown] => [member.name, initialValue(member.schema, root, depth + 1)])
    return objectOf(members.filter(([, value]) => value !== undefined))
  },
  array: () => [],
  choices: () => [],
  choice: (field) => (field.kind === 'choice' && field.options.length === 1 ? field.options[0]?.value : undefined),
  null: () => null,
  variants: (field, root, depth) => {
    const first = field.kind === 'variants' && depth <= MAX_DEPTH ? field.variants[0] : undefined
    return first && initialValue(first.schema, root, depth + 1)
  },
}

/** Returns what a new item or an optional member starts with: something that its input can show. */
export function startingValue(schema: Schema, root: Schema, depth = 0): unknown {
  const field = fieldOf(schema, root)
  const initial = initialValue(schema, root)
  if (initial !== undefined || field.nullable) return initial ?? null
  if (field.kind === 'choice') return field.options[0]?.value ?? null
  const [first] = field.kind === 'variants' && depth <= MAX_DEPTH ? field.variants : []
  return first ? startingValue(first.schema, root, depth + 1) : (EMPTY[field.kind] ?? null)
}

const EMPTY: { [kind: string]: unknown } = { text: '', file: '', number: 0, boolean: false }

/** Returns the position of the variant that fits a value best, or -1 if none fits its type. */
export function variantOf(variants: readonly Variant[], value: unknown, root: Schema): number {
  const scores = variants.map(({ schema }) => fitOf(schema, value, root))
  const best = Math.max(...scores)
  return best < 0 ? -1 : scores.indexOf(best)
}

/** Scores how well a value fits a schema: -1 if it cannot, otherwise the more members agree the better. */
export function fitOf(schema: Schema, value: unknown, root: Schema, depth = 0): number {
  const resolved = resolveSchema(schema, root)
  if (!allowsType(resolved, value)) return -1
  const nested = depth < MAX_DEPTH ? alternativesOf(resolved) : []
  if (nested.length > 0) return Math.max(...nested.map((part) => fitOf(part, value, root, depth + 1)))
  if ('const' in resolved) return equalJson(resolved['const'], value) ? 10 : -1
  if (Array.isArray(resolved['enum'])) return resolved['enum'].some((option) => equalJson(option, value)) ? 10 : -1
  return isObject(value) ? fitOfObject(resolved, value, root) : 1
}

/** Returns the shapes of a schema that is itself a choice of shapes. */
function alternativesOf(schema: SchemaObject): Schema[] {
  if ('properties' in schema || typesOf(schema).length > 0) return []
  return [...schemasIn(schema, 'anyOf'), ...schemasIn(schema, 'oneOf')]
}

function allowsType(schema: SchemaObject, value: unknown): boolean {
  const types = typesOf(schema)
  const type = typeOfValue(value)
  if (types.length > 0) return types.includes(type) || (type === 'integer' && types.includes('number'))
  if ('properties' in schema) return type === 'object'
  return 'items' in schema ? type === 'array' : true
}

function fitOfObject(schema: SchemaObject, value: JsonObject, root: Schema): number {
  const properties = new Map(schemaMap(schema, 'properties'))
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  let score = 1
  for (const [name, member] of Object.entries(value)) {
    const property = properties.get(name)
    if (property === undefined) score -= schema['additionalProperties'] === false ? 3 : 1
    else if (isConstant(property, root)) {
      if (fitOf(property, member, root) < 0) return -1
      score += 10
    } else score += fitOf(property, member, root) < 0 ? -2 : 2
  }
  return Math.max(0, score - required.filter((name) => !Object.hasOwn(value, String(name))).length * 2)
}

function isConstant(schema: Schema, root: Schema): boolean {
  const resolved = resolveSchema(schema, root)
  return 'const' in resolved || (Array.isArray(resolved['enum']) && resolved['enum'].length === 1)
}

/** Returns a value as the text that the JSON editor shows. `undefined` is the empty text. */
export function jsonText(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value, null, 2)
}

/** A text that was read as JSON: the value, or why it is none and where. */
export type ParsedText =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string; readonly offset?: number }

/** Reads the text of the JSON editor. The empty text is `undefined`: no value. */
export function parseText(text: string): ParsedText {
  if (text.trim() === '') return { ok: true, value: undefined }
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const position = /position (\d+)/.exec(message)?.[1]
    return { ok: false, message, ...(position !== undefined && { offset: Number(position) }) }
  }
}

const UNSAFE_NUMBER = /(?<![\w."-])-?\d{16,}(?![\w."])/g

/** Returns the integers of a JSON text that JavaScript, and with it the request, cannot hold exactly. */
export function inexactNumbers(text: string): string[] {
  const withoutStrings = text.replaceAll(/"(?:[^"\\]|\\.)*(?:"|\\?$)/g, '""')
  return [...withoutStrings.matchAll(UNSAFE_NUMBER)]
    .map(([number]) => number)
    .filter((number) => !Number.isSafeInteger(Number(number)))
}
