import { isObject } from '../jsonrpc.ts'

/** Tells whether two values are the same JSON, whatever the order of members. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length && one.every((item, index) => sameJson(item, other[index]))
  }
  if (!isObject(one) || !isObject(other)) return Object.is(one, other)
  const keys = Object.keys(one)
  return (
    keys.length === Object.keys(other).length && keys.every((key) => Object.hasOwn(other, key) && sameJson(one[key], other[key]))
  )
}
