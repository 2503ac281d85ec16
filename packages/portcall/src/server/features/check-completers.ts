import { checkOptions } from '../../../../util/src/check-options.ts'

/** Checks that completers are functions, and belong to the arguments of a prompt or the variables of a template. @throws TypeError. */
export function checkCompleters(where: string, completers: unknown, names: readonly string[]): void {
  if (completers === undefined) return
  checkOptions(`${where}: complete`, completers, { names: Object.fromEntries(names.map((name) => [name, 'function'])) })
}
