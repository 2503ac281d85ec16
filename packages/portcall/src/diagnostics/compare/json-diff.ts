import { isJsonEqual } from '../../../../util/src/json-equal.ts'
import { isObject } from '../../jsonrpc/message.ts'

/** One difference between two JSON values: one changed member is one row. */
export interface JsonDifference {
  /** The member, as a JSON pointer (RFC 6901). */
  readonly pointer: string
  /** The kind of the change. */
  readonly change: 'added' | 'removed' | 'changed'
  /** The value on the left. Absent if the member was added. */
  readonly before?: unknown
  /** The value on the right. Absent if the member was removed. */
  readonly after?: unknown
}

/** The lists of JSON Schema whose order has no meaning. */
const UNORDERED: ReadonlySet<string> = new Set(['required', 'enum', 'type', 'supportedVersions'])

/** Compares two JSON values member by member. */
export function diffJson(left: unknown, right: unknown, pointer = ''): JsonDifference[] {
  if (isJsonEqual(left, right)) return []
  if (left === undefined) return [{ pointer, change: 'added', after: right }]
  if (right === undefined) return [{ pointer, change: 'removed', before: left }]
  if (isObject(left) && isObject(right)) return diffMembers(left, right, pointer)
  if (Array.isArray(left) && Array.isArray(right))
    return UNORDERED.has(lastSegment(pointer)) ? diffSets(left, right, pointer) : diffLists(left, right, pointer)
  return [{ pointer, change: 'changed', before: left, after: right }]
}

function diffMembers(left: object, right: object, pointer: string): JsonDifference[] {
  const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])]
  return keys.flatMap((key) => diffJson(memberOf(left, key), memberOf(right, key), `${pointer}/${pointerSegment(key)}`))
}

function memberOf(object: object, key: string): unknown {
  return Object.hasOwn(object, key) ? (object as Record<string, unknown>)[key] : undefined
}

function diffSets(left: readonly unknown[], right: readonly unknown[], pointer: string): JsonDifference[] {
  const lacks = (list: readonly unknown[], item: unknown): boolean => !list.some((other) => isJsonEqual(other, item))
  return [
    ...left.flatMap((before, index): JsonDifference[] =>
      lacks(right, before) ? [{ pointer: `${pointer}/${index}`, change: 'removed', before }] : [],
    ),
    ...right.flatMap((after, index): JsonDifference[] =>
      lacks(left, after) ? [{ pointer: `${pointer}/${index}`, change: 'added', after }] : [],
    ),
  ]
}

/** Aligns the equal items at both ends, so that an insertion is one row. */
function diffLists(left: readonly unknown[], right: readonly unknown[], pointer: string): JsonDifference[] {
  const shortest = Math.min(left.length, right.length)
  let head = 0
  while (head < shortest && isJsonEqual(left[head], right[head])) head++
  let tail = 0
  while (tail < shortest - head && isJsonEqual(left.at(-1 - tail), right.at(-1 - tail))) tail++
  const [before, after] = [left.slice(head, left.length - tail), right.slice(head, right.length - tail)]
  return Array.from({ length: Math.max(before.length, after.length) }, (_, index) =>
    diffJson(before[index], after[index], `${pointer}/${head + index}`),
  ).flat()
}

/** Escapes a member name for a JSON pointer (RFC 6901). */
export function pointerSegment(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** Returns the member names of a JSON pointer. */
export function pointerSegments(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function lastSegment(pointer: string): string {
  return pointerSegments(pointer).at(-1) ?? ''
}

/** Returns the value at a JSON pointer, or `undefined` if there is none. */
export function pointerValue(value: unknown, pointer: string): unknown {
  return pointerSegments(pointer).reduce<unknown>(
    (current, segment) => (typeof current === 'object' && current !== null ? memberOf(current, segment) : undefined),
    value,
  )
}
