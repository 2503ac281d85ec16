/** Makes structured content out of responses that deviate from their description. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import type { OutputSchema } from './output.ts'

/** Structured content that matches the output schema. */
export interface ConformingValue {
  readonly value: unknown
  /** The parts that do not match, by JSON Pointers. Empty if everything does. */
  readonly unexpected: JsonObject
}

/** The member of structured content with the parts of a response that its description does not allow, by JSON Pointers. */
const UNEXPECTED = '_unexpected'
const MAX_ROUNDS = 8

/**
 * Returns a value that matches an output schema: parts that do not are moved to the member `_unexpected`, and null where the description does not
 * allow it is left out. Properties are never required. Returns `undefined` if there is no such value.
 */
export async function conform(value: unknown, output: OutputSchema): Promise<ConformingValue | undefined> {
  let current = value
  const unexpected: JsonObject = {}
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const issues = await output.check(current)
    if (issues.length === 0) return { value: await withUnexpected(current, unexpected, output), unexpected }
    for (const { path } of issues) {
      const place = memberPath(path, current)
      if (place.length === 0) return replaceRoot(value, output)
      const removed = memberAt(current, place)
      if (removed === undefined) continue
      if (removed !== null) unexpected[pointerOf(place)] = removed
      current = without(current, place)
    }
  }
  return replaceRoot(value, output)
}

/** Returns an empty value of the kind that the schema describes, with the whole response as unexpected. */
async function replaceRoot(value: unknown, output: OutputSchema): Promise<ConformingValue | undefined> {
  const unexpected: JsonObject = { '': value }
  for (const empty of [{}, [], null])
    if ((await output.check(empty)).length === 0) return { value: await withUnexpected(empty, unexpected, output), unexpected }
  return undefined
}

/** Adds the unexpected parts if the value is an object that may have them. Otherwise only the text of the result has them. */
async function withUnexpected(value: unknown, unexpected: JsonObject, output: OutputSchema): Promise<unknown> {
  if (!isObject(value) || Object.keys(unexpected).length === 0 || Object.hasOwn(value, UNEXPECTED)) return value
  const extended = { ...value, [UNEXPECTED]: unexpected }
  return (await output.check(extended)).length === 0 ? extended : value
}

/** Returns the path of the innermost member of an object that contains a place. Items of lists stay at their places. */
function memberPath(path: readonly unknown[], root: unknown): string[] {
  const steps = path.map((step) => String(isObject(step) ? step.key : step))
  const isMember = steps.map((_, index) => isObject(memberAt(root, steps.slice(0, index))))
  return steps.slice(0, isMember.lastIndexOf(true) + 1)
}

function memberAt(root: unknown, path: readonly string[]): unknown {
  let current = root
  for (const step of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, step)) return undefined
    current = (current as JsonObject)[step]
  }
  return current
}

function without(value: unknown, [step = '', ...rest]: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item, index) => (String(index) === step ? without(item, rest) : item))
  if (!isObject(value)) return value
  const entries = Object.entries(value).filter(([name]) => name !== step || rest.length > 0)
  return Object.fromEntries(entries.map(([name, item]) => [name, name === step ? without(item, rest) : item]))
}

function pointerOf(path: readonly string[]): string {
  return path.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}
