import { checkOptions, type OptionNames } from '../../../util/src/check-options.ts'
import { describe } from '../../../util/src/describe.ts'

/** The names of the options of the three parts of stores. */
export type StoresPartNames<T> = {
  readonly [part in keyof T & ('store' | 'log' | 'bus')]-?: OptionNames<NonNullable<T[part]>>
}

/** The options of a kind of stores. */
interface KnownStoresOptions {
  readonly names: object
  /** The options of the store, the log and the bus. */
  readonly parts: { readonly [part: string]: object }
}

/** Checks the options of a function that creates stores, and those of their parts. @throws TypeError. */
export function checkStoresOptions(where: string, options: object, { names, parts }: KnownStoresOptions): void {
  checkOptions(where, options, { names })
  for (const [part, partNames] of Object.entries(parts)) {
    const given: unknown = Reflect.get(options, part)
    if (given !== undefined) checkOptions(`${where}: ${part}`, given, { names: partNames })
  }
}

/** Describes what was passed in the place of a client. URLs of databases hold passwords, so that texts are not shown. */
export function describeClient(client: unknown): string {
  return typeof client === 'string' ? 'a text' : client instanceof Promise ? 'a Promise: await it' : describe(client)
}
