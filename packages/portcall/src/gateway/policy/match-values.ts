import { findCaseVariant } from '../../../../util/src/fold-case.ts'
import { createNameMatcher } from '../../../../util/src/name-matcher.ts'
import { isObject } from '../../jsonrpc/message.ts'
import { invalidParams } from '../../protocol/errors.ts'
import type { ArgumentCondition, ConditionValue } from './rule.ts'

/** Reports whether a value of a request meets a condition. `undefined` stands for a value that is absent. */
export type ValueMatcher = (value: unknown) => boolean

/** Reads a member of an object: by its name, or by a JSON Pointer. */
export function createReader(path: string, read: typeof readMember = readMember): (object: unknown) => unknown {
  const keys = path.startsWith('/') ? path.slice(1).split('/').map(unescapePointer) : [path]
  return (object) => keys.reduce<unknown>(read, object)
}

/** Reads an argument like `createReader`. It @throws RpcError if a member differs from it only in case: the server might read that one. */
export function createArgumentReader(path: string): (args: unknown) => unknown {
  return createReader(path, (object, key) => {
    const variant = isObject(object) ? findCaseVariant(object, key) : undefined
    if (variant === undefined) return readMember(object, key)
    throw invalidParams(`the argument ${JSON.stringify(variant)} must be written ${JSON.stringify(key)}`)
  })
}

function readMember(object: unknown, key: string): unknown {
  if (typeof object !== 'object' || object === null || !Object.hasOwn(object, key)) return undefined
  return object[key as keyof object]
}

function unescapePointer(key: string): string {
  return key.replaceAll('~1', '/').replaceAll('~0', '~')
}

/**
 * Creates the matcher of a condition. If it is strict, values that cannot be compared match: a value of another type, and a list with one value
 * that matches. Otherwise it does not, and all values of a list have to match.
 */
export function createValueMatcher(condition: ArgumentCondition, isStrict: boolean): ValueMatcher {
  if (isObject(condition) && 'not' in condition) {
    const matches = createListMatcher(condition.not as ConditionValue | readonly ConditionValue[])
    return (value) => (isStrict ? !matchesAll(value, matches) : value !== undefined && !matchesAny(value, matches))
  }
  if (isObject(condition)) return createRangeMatcher(condition, isStrict)
  const matches = createListMatcher(condition as ConditionValue | readonly ConditionValue[])
  if (!isStrict) return (value) => matchesAll(value, matches)
  return (value) => matchesAny(value, (item) => matches(item) || isObject(item))
}

function matchesAny(value: unknown, matches: ValueMatcher): boolean {
  return Array.isArray(value) ? value.some((item) => matchesAny(item, matches)) : matches(value)
}

function matchesAll(value: unknown, matches: ValueMatcher): boolean {
  return Array.isArray(value) ? value.length > 0 && value.every((item) => matchesAll(item, matches)) : matches(value)
}

/** Creates the matcher of a claim: it has one of the values, or contains one. */
export function createClaimMatcher(values: ConditionValue | readonly ConditionValue[]): ValueMatcher {
  const expected = new Set<unknown>(Array.isArray(values) ? values : [values])
  return (value) => (Array.isArray(value) ? value.some((item) => expected.has(item)) : expected.has(value))
}

function createListMatcher(condition: ConditionValue | readonly ConditionValue[]): ValueMatcher {
  const values: readonly ConditionValue[] = Array.isArray(condition) ? condition : [condition as ConditionValue]
  const patterns = createNameMatcher(values.filter((value) => typeof value === 'string'))
  const others = new Set<unknown>(values)
  // Numbers and booleans are compared as text too, because servers may convert them.
  const texts = new Set(values.filter((value) => typeof value !== 'string').map(String))
  return (value) =>
    typeof value === 'string'
      ? patterns(value) || texts.has(value)
      : others.has(value) || (isPrimitive(value) && patterns(String(value)))
}

function isPrimitive(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'boolean'
}

function createRangeMatcher(
  { min = -Infinity, max = Infinity }: { readonly min?: number; readonly max?: number },
  isStrict: boolean,
): ValueMatcher {
  const isInRange = (value: unknown): boolean =>
    typeof value === 'number' ? value >= min && value <= max : isStrict && value !== undefined
  return (value) => (isStrict ? matchesAny(value, isInRange) : isInRange(value))
}
