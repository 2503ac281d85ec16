/** Conditions for the results of saved calls. */
import { isJsonEqual } from '../../../../util/src/json-equal.ts'
import { pointerValue } from './json-diff.ts'

/** A condition of a call in a file. */
export interface ResultCondition {
  /** A JSON pointer into the result, such as `/structuredContent/total` or `/isError`. Empty: the whole result. */
  readonly pointer: string
  /** The comparison. */
  readonly check: 'equals' | 'contains' | 'matches' | 'exists' | 'absent' | 'at-most' | 'at-least'
  /** The value to compare with; a regular expression for `matches`. */
  readonly value?: unknown
}

/** A condition that does not hold, and the value that was found. */
export interface UnmetCondition {
  /** A sentence. */
  readonly message: string
  /** The value at the pointer. Undefined if there is none. */
  readonly found: unknown
}

/** Checks one condition. Returns what is wrong, if anything is. The message shows at most `maxShown` characters of the value. */
export function checkCondition(condition: ResultCondition, result: unknown, maxShown: number): UnmetCondition | undefined {
  const { pointer, check, value } = condition
  const found = pointerValue(result, pointer)
  if (CHECKS[check](found, value)) return undefined
  const expected = value === undefined ? '' : ` ${JSON.stringify(value)}`
  const shown = found === undefined ? 'nothing' : (JSON.stringify(found) ?? '').slice(0, maxShown)
  return { message: `${pointer === '' ? 'the result' : pointer} ${check}${expected}: found ${shown}`, found }
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? ''))

const CHECKS: { readonly [check in ResultCondition['check']]: (found: unknown, value: unknown) => boolean } = {
  equals: isJsonEqual,
  contains: (found, value) =>
    Array.isArray(found) ? found.some((item) => isJsonEqual(item, value)) : asText(found).includes(asText(value)),
  matches: (found, value) => new RegExp(String(value), 'u').test(asText(found)),
  exists: (found) => found !== undefined,
  absent: (found) => found === undefined,
  'at-most': (found, value) => typeof found === 'number' && typeof value === 'number' && found <= value,
  'at-least': (found, value) => typeof found === 'number' && typeof value === 'number' && found >= value,
}

/** The names of all comparisons. */
export const RESULT_CHECKS: readonly string[] = Object.keys(CHECKS)

/** Reports whether a value is the name of a comparison. */
export function isCheck(value: unknown): boolean {
  return RESULT_CHECKS.includes(String(value))
}
