import type { JsonObject } from '../../jsonrpc/message.ts'

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
