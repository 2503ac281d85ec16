/**
 * Walks over values with parts that others may contain too, such as schemas with references. The paths to a part can be exponentially many, so
 * each value is visited once.
 */

/** Returns a value, and what can be reached from it, each once. */
export function reachable<T>(start: T, next: (value: T) => Iterable<T>): readonly T[] {
  const found = new Set([start])
  // A set is iterated together with what is added meanwhile.
  for (const value of found) for (const other of next(value)) found.add(other)
  return [...found]
}

/**
 * Returns what `read` returns for a value. `read` gets a function that reads a part in the same way; `undefined` at the greatest depth, where parts
 * do not count. Each value is read once at each depth.
 */
export function readParts<T extends object, Result>(
  start: T,
  maxDepth: number,
  read: (value: T, readPart: ((part: T) => Result) | undefined) => Result,
): Result {
  const levels = Array.from({ length: maxDepth + 1 }, () => new Map<T, Result>())
  const readAt = (value: T, depth: number): Result => {
    const level = levels[depth] as Map<T, Result>
    if (level.has(value)) return level.get(value) as Result
    const result = read(value, depth < maxDepth ? (part) => readAt(part, depth + 1) : undefined)
    level.set(value, result)
    return result
  }
  return readAt(start, 0)
}
