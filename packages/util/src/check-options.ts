import { closestName } from './closest-name.ts'
import { describe } from './describe.ts'
import { type OptionKindName, problemOf } from './option-kinds.ts'

/**
 * A table with the names of the options of `T`, all of which the compiler requires. A text or an array names the kind of its values. Any other
 * value, such as 1 or the default of a limit, leaves the kind to the name: durations end in `Ms`, sizes in `Bytes`, counts start with `max`, and
 * callbacks with `on`.
 */
export type OptionNames<T> = { readonly [name in keyof T]-?: OptionKindName | number | boolean }

/** Facts about the options of a function. */
export interface KnownOptions {
  /** A table whose keys are the valid names. */
  readonly names: object
  /** The advice, by a name that users of other libraries know. */
  readonly advice?: { readonly [name: string]: string } | undefined
  /** The advice for options that must not be missing, by name. */
  readonly required?: { readonly [name: string]: string } | undefined
  /** True if there may be names that are not in the table. Then only names that look misspelled are refused. */
  readonly isOpen?: boolean
}

/**
 * Refuses options that do not exist, values of the wrong kind, and missing options, since JavaScript passes anything. `where` names the function
 * or item.
 *
 * @throws TypeError; RangeError for a number that is too small or too large.
 */
export function checkOptions(where: string, options: unknown, known: KnownOptions): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new TypeError(`${where}: the options must be an object, not ${describe(options)}`)
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue
    if (!Object.hasOwn(known.names, name)) checkName(where, name, known)
    else {
      const problem = problemOf(name, value, Reflect.get(known.names, name))
      if (problem) throw new (problem.isRange ? RangeError : TypeError)(`${where}: ${name} ${problem.text}`)
    }
  }
  for (const [name, hint] of Object.entries(known.required ?? {}))
    if (Reflect.get(options, name) === undefined) throw new TypeError(`${where}: ${name} is missing. ${hint}`)
}

/** @throws TypeError for a name that is not in the table; in an open one, only if it looks misspelled. */
function checkName(where: string, name: string, { names, advice = {}, isOpen = false }: KnownOptions): void {
  const known = Object.keys(names)
  const closest = closestName(name, known)
  const hint = Object.hasOwn(advice, name) ? advice[name] : closest && `Did you mean ${JSON.stringify(closest)}?`
  if (hint || !isOpen)
    throw new TypeError(`${where}: unknown option ${JSON.stringify(name)}. ${hint ?? `The options are ${known.join(', ')}`}`)
}
