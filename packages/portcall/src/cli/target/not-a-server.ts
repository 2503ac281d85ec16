import { existsSync } from 'node:fs'
import { type CliError, usageError } from '../cli-error.ts'

const FILE = /^(\S+\.(?:[cm]?[jt]sx?|jsonc?|toml|ya?ml))(?::[^:\\/]*)?$/
const HOST = /^[\w.-]+(:\d+)?(\/|$)/

/** Describes why a text names no server: a file that does not exist, a URL without its scheme, or anything else. */
export function notAServer(text: string): CliError {
  const file = FILE.exec(text)?.[1]
  if (file !== undefined && !existsSync(file)) return usageError(`no such file: ${file}`)
  return usageError(`${JSON.stringify(text)} is not a server`, hintFor(text))
}

function hintFor(text: string): string {
  if (HOST.test(text) && /[:.]/.test(text)) return 'a URL starts with https:// or http://'
  if (/\s/.test(text)) return `to start a program, write -- ${text}`
  return 'pass a URL, a module, file:name of a configuration, or -- and a program'
}
