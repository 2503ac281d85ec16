/** Reports whether two values have the same JSON, whatever the order of object members. Lists of tools are compared often, so it allocates little. */
export function isJsonEqual(left: unknown, right: unknown): boolean {
  if (left === right || Object.is(left, right)) return true
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false
  if (Array.isArray(left))
    return Array.isArray(right) && left.length === right.length && left.every((item, index) => isJsonEqual(item, right[index]))
  return !Array.isArray(right) && hasEqualMembers(left as Members, right as Members)
}

type Members = { readonly [key: string]: unknown }

/** Compares the members that JSON text would contain: those that are not `undefined`. */
function hasEqualMembers(left: Members, right: Members): boolean {
  let surplus = 0
  for (const key of Object.keys(right)) if (right[key] !== undefined) surplus++
  for (const key of Object.keys(left)) {
    if (left[key] === undefined) continue
    if (!Object.hasOwn(right, key) || !isJsonEqual(left[key], right[key])) return false
    surplus--
  }
  return surplus === 0
}
