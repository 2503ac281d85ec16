import { closestName } from '../../../util/src/closest-name.ts'
import { type CliError, usageError } from '../cli-error.ts'

/** Returns a hint with the most similar name, or else with the available names. `prefix` precedes each name. */
export function didYouMean(word: string, available: readonly string[], prefix = ''): string | undefined {
  const closest = closestName(word, available)
  if (closest !== undefined) return `did you mean ${prefix}${closest}?`
  const names = available.map((name) => `${prefix}${name}`)
  if (names.length === 0) return undefined
  return names.length > 12
    ? `${names.length} are available, such as ${names.slice(0, 8).join(', ')}`
    : `available: ${names.join(', ')}`
}

/** Creates the error for a name that does not exist. */
export function unknownName(kind: string, name: string, names: readonly string[]): CliError {
  return usageError(`unknown ${kind}: ${name}`, didYouMean(name, names))
}

/** The commands for what other tools call differently. */
const OTHER_NAMES: { readonly [name: string]: string } = {
  add: 'install',
  bundle: 'build',
  create: 'new',
  dev: 'serve MODULE --watch',
  info: 'discover',
  init: 'new',
  inspector: 'inspect',
  lint: 'check',
  prompts: 'list SERVER prompts',
  proxy: 'bridge',
  remove: 'uninstall',
  resources: 'list SERVER resources',
  run: 'serve',
  start: 'serve',
  status: 'gateway status',
  tools: 'list SERVER tools',
  watch: 'listen',
}

/** Creates the error for a command that does not exist. */
export function unknownCommand(name: string, names: readonly string[]): CliError {
  const other = Object.hasOwn(OTHER_NAMES, name) ? OTHER_NAMES[name] : undefined
  return other === undefined
    ? unknownName('command', name, names)
    : usageError(`unknown command: ${name}`, `use portcall ${other}`)
}

/** Returns the item of a list with this name. @throws CliError when there is none. */
export async function findByName<T extends { readonly name: string }>(
  kind: string,
  name: string,
  list: AsyncIterable<T>,
): Promise<T> {
  const names: string[] = []
  for await (const item of list) {
    if (item.name === name) return item
    names.push(item.name)
  }
  throw unknownName(kind, name, names)
}
