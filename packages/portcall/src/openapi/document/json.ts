/** Reads members of documents, which may have any shape. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'

/** Returns a value if it is an object, otherwise an empty object. */
export function objectOrEmpty(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** Returns a value if it is an array, otherwise an empty array. */
export function arrayOrEmpty(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Returns a value if it is a string that is not empty. */
export function textOrNothing(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
