/** Limits of what views send. */
import { isObject } from '../../jsonrpc/message.ts'

/** The limits of the messages of a view. */
export interface ViewLimits {
  /** The size of a message. Texts count with the number of their characters. */
  readonly maxMessageBytes: number
  /** The nesting of arrays and objects. */
  readonly maxDepth: number
  /** The number of messages in a second. */
  readonly maxPerSecond: number
}

/** The limits. */
export const VIEW_LIMITS: ViewLimits = { maxMessageBytes: 4 * 1024 * 1024, maxDepth: 200, maxPerSecond: 200 }

interface Part {
  readonly value: unknown
  readonly depth: number
}

/** Reports what is wrong with a value that is to be JSON, without writing it: it takes at most as many steps as the limit has bytes. */
export function findFault(value: unknown): string | undefined {
  const open: Part[] = [{ value, depth: 0 }]
  let size = 0
  for (let next = open.pop(); next; next = open.pop()) {
    const own = sizeOf(next.value)
    if (own === undefined)
      return `it contains ${typeof next.value === 'object' ? 'an object that is not JSON' : `a ${typeof next.value}`}`
    size += own
    if (size > VIEW_LIMITS.maxMessageBytes) return `it is larger than ${VIEW_LIMITS.maxMessageBytes} bytes`
    if (next.depth > VIEW_LIMITS.maxDepth) return `it is nested deeper than ${VIEW_LIMITS.maxDepth} levels`
    if (typeof next.value !== 'object' || next.value === null) continue
    for (const part of Object.values(next.value)) open.push({ value: part, depth: next.depth + 1 })
  }
  return undefined
}

const SCALARS: ReadonlySet<string> = new Set(['number', 'boolean', 'undefined'])

/** Returns the size of a value without its parts, or `undefined` if it is not JSON. Objects of other windows have other prototypes, so they are told by their tag. */
function sizeOf(value: unknown): number | undefined {
  if (typeof value === 'string') return value.length + 2
  if (value === null || SCALARS.has(typeof value)) return 4
  if (Array.isArray(value)) return value.length + 2
  if (!isObject(value) || Object.prototype.toString.call(value) !== '[object Object]') return undefined
  return Object.keys(value).reduce((size, name) => size + name.length + 4, 2)
}

/** The verdict on one more message: `refused` ones are answered, `dropped` ones are not. */
export type Admission = 'admitted' | 'refused' | 'dropped'

/** Creates a function that counts messages, and admits `VIEW_LIMITS.maxPerSecond` of them each second. As many more are refused with an answer. */
export function createAdmission(now: () => number = () => performance.now()): () => Admission {
  let start = Number.NEGATIVE_INFINITY
  let count = 0
  return () => {
    const time = now()
    if (time - start >= 1000) {
      start = time
      count = 0
    }
    count += 1
    if (count <= VIEW_LIMITS.maxPerSecond) return 'admitted'
    return count <= 2 * VIEW_LIMITS.maxPerSecond ? 'refused' : 'dropped'
  }
}
