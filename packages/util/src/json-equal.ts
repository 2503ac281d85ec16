/** Reports whether two values have the same JSON, whatever the order of object members. */
export function isJsonEqual(left: unknown, right: unknown): boolean {
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null)
    return Object.is(left, right) || left === right
  if (Array.isArray(left) !== Array.isArray(right)) return false
  const [leftKeys, rightKeys] = [keysOf(left), keysOf(right)]
  const isEqualAt = (key: string): boolean =>
    Object.hasOwn(right, key) && isJsonEqual(left[key as keyof object], right[key as keyof object])
  return leftKeys.length === rightKeys.length && leftKeys.every(isEqualAt)
}

/** The keys that JSON text would contain. */
function keysOf(value: object): string[] {
  const isWritten = ([, member]: [string, unknown]): boolean => member !== undefined || Array.isArray(value)
  return Object.entries(value)
    .filter(isWritten)
    .map(([key]) => key)
}
