import { closestName } from './closest-name.ts'

/** A table with the names of the options of `T`. The compiler requires all of them; the values do not matter. */
export type OptionNames<T> = { readonly [name in keyof T]-?: unknown }

/** What is known about the options of a function. */
export interface KnownOptions {
  /** A table whose keys are the valid names. */
  readonly names: object
  /** What to do instead, by a name that users of other libraries know. */
  readonly advice?: { readonly [name: string]: string } | undefined
  /** Whether there may be names that are not in the table. Then only names that look misspelled are refused. */
  readonly isOpen?: boolean
}

/** Refuses options that do not exist, which JavaScript would ignore. `where` names the function or item. @throws TypeError. */
export function checkOptions(where: string, options: unknown, { names, advice = {}, isOpen = false }: KnownOptions): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new TypeError(`${where}: the options must be an object, not ${describe(options)}`)
  for (const [name, value] of Object.entries(options)) {
    if (Object.hasOwn(names, name) || value === undefined) continue
    const known = Object.keys(names)
    const closest = closestName(name, known)
    const hint = Object.hasOwn(advice, name) ? advice[name] : closest && `Did you mean ${JSON.stringify(closest)}?`
    if (hint || !isOpen)
      throw new TypeError(`${where}: unknown option ${JSON.stringify(name)}. ${hint ?? `The options are ${known.join(', ')}`}`)
  }
}

/** Describes a value of the wrong type in an error message. */
export function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' && value !== null ? 'an object' : typeof value === 'function' ? 'a function' : String(value)
}
