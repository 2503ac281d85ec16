/** Checks the shape of parsed documents before recursive code reads them. */
import { OpenApiError } from '../errors.ts'

/** The deepest nesting of objects and arrays that is read. Published descriptions stay below 60. */
export const MAX_DOCUMENT_DEPTH = 500

/** Reports whether objects and arrays are nested more deeply than `maxDepth`. Values that contain themselves are. Takes linear time. */
export function isDeeperThan(value: unknown, maxDepth: number): boolean {
  /** The greatest depth at which an object was visited. Shared objects are visited again only where they are deeper. */
  const visited = new Map<object, number>()
  const stack: [value: object, depth: number][] = isNested(value) ? [[value, 1]] : []
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const [current, depth] = next
    if (depth > maxDepth) return true
    if ((visited.get(current) ?? 0) >= depth) continue
    visited.set(current, depth)
    for (const child of Object.values(current)) if (isNested(child)) stack.push([child, depth + 1])
  }
  return false
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** @throws OpenApiError when a document contains itself or is nested too deeply. */
export function checkStructure(document: unknown): void {
  if (!isDeeperThan(document, MAX_DOCUMENT_DEPTH)) return
  throw new OpenApiError(
    `The description contains itself, or has more than ${MAX_DOCUMENT_DEPTH} levels of objects and lists. Use $ref for schemas that contain themselves, not aliases or shared objects`,
  )
}
