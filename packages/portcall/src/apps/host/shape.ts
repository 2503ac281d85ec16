/** Checks of values that views send. */
import { describe } from '../../../../util/src/describe.ts'
import { isObject } from '../../jsonrpc/message.ts'

/** Checks a value. Returns what is wrong with it, with its path, or `undefined` if nothing is. */
export type Check = (value: unknown, path: string) => string | undefined

const is =
  (kind: string, test: (value: unknown) => boolean): Check =>
  (value, path) =>
    test(value) ? undefined : `${path} must be ${kind}, not ${describe(value).slice(0, MAX_SHOWN)}`

/** Text of views in messages is cut to this length. */
const MAX_SHOWN = 100

/** Checks of single values. */
export const textValue: Check = is('a text', (value) => typeof value === 'string')
export const objectValue: Check = is('an object', isObject)
export const pixels: Check = is('a number of pixels', (value) => Number.isFinite(value) && (value as number) >= 0)
export const idValue: Check = is('a request id', (value) => typeof value === 'string' || Number.isSafeInteger(value))
export const anyValue: Check = () => undefined

/** Checks that a value is one of some texts. */
export const oneOf = (...names: readonly string[]): Check =>
  is(`one of ${names.join(', ')}`, (value) => names.includes(value as string))

/** Checks each item of an array. */
export function listOf(item: Check): Check {
  return (value, path) => {
    if (!Array.isArray(value)) return `${path} must be an array, not ${describe(value).slice(0, MAX_SHOWN)}`
    for (const [index, entry] of value.entries()) {
      const problem = item(entry, `${path}[${index}]`)
      if (problem) return problem
    }
    return undefined
  }
}

/** Checks the members of an object. Names that end in `?` may be missing. Members that are not named are not checked. */
export function recordOf(checks: { readonly [name: string]: Check }): Check {
  const entries = Object.entries(checks).map(([name, check]) => ({
    name: name.replace('?', ''),
    isOptional: name.endsWith('?'),
    check,
  }))
  return (value, path) => {
    if (!isObject(value)) return objectValue(value, path)
    for (const { name, isOptional, check } of entries) {
      const isMissing = !Object.hasOwn(value, name) || value[name] === undefined
      if (isMissing && !isOptional) return `${path}.${name} is missing`
      const problem = isMissing ? undefined : check(value[name], `${path}.${name}`)
      if (problem) return problem
    }
    return undefined
  }
}

/** Checks an object by its member `type`. */
export function variants(checks: { readonly [type: string]: Check }): Check {
  const type = oneOf(...Object.keys(checks))
  return (value, path) => {
    if (!isObject(value)) return objectValue(value, path)
    return type(value.type, `${path}.type`) ?? checks[String(value.type)]?.(value, path)
  }
}
