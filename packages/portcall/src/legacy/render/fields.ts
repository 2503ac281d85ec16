import { isObject, type JsonObject } from '../../jsonrpc/message.ts'

/** Copies an object with only the fields in `keys`. */
export function pickFields(object: object, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => keys.includes(key)))
}

/** Returns the object without its fields that are `null`: the object itself if it has none. */
export function withoutNulls(object: JsonObject): JsonObject {
  for (const key in object) {
    if (object[key] !== null) continue
    return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null))
  }
  return object
}

/** Returns the object with one field set: the object itself if the field has this value already, otherwise a copy. */
export function withField<T extends JsonObject>(object: T, field: string, value: unknown): T {
  return object[field] === value ? object : { ...object, [field]: value }
}

/** Returns the object with the object in one field mapped: the object itself if that does not change. */
export function mapField(object: JsonObject, field: string, map: (value: JsonObject) => JsonObject): JsonObject {
  const value = object[field]
  return isObject(value) ? withField(object, field, map(value)) : object
}
