import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** `--option=value` and `NAME=value`. */
const NAMED = /^([\w-]+=)(.+)$/s
/** `./folder:/mount`, as container engines mount folders. */
const MOUNT = /^(\.{1,2}(?:\/[^:]*)?)(:.+)$/s

/**
 * Resolves a word of a command line that is an existing path in a directory: alone, as the value in `--option=value`, or before the colon of
 * `./folder:/mount`. Other words are returned unchanged: a word without a dot or a slash is a name, although there may be a file of that name.
 */
export function toAbsolute(word: string, directory: string): string {
  const [, name = '', value = word] = NAMED.exec(word) ?? []
  const [, path = value, mount = ''] = MOUNT.exec(value) ?? []
  const isPath = /[./\\]/.test(path) && !path.startsWith('-') && existsSync(resolve(directory, path))
  return isPath ? name + resolve(directory, path) + mount : word
}

/** Resolves the value of an environment variable that is an existing path in a directory. A dot alone may be something else. */
export function toAbsoluteValue(value: string, directory: string): string {
  return /^\.{0,2}$/.test(value) || NAMED.test(value) ? value : toAbsolute(value, directory)
}

/** Lists a directory and those that contain it, from the inside out. */
export function listAncestors(directory: string): string[] {
  const parent = dirname(directory)
  return parent === directory ? [directory] : [directory, ...listAncestors(parent)]
}
