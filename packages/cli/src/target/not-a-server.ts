import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { extname } from 'node:path'
import { type CliError, usageError } from '../cli-error.ts'

const FILE = /^(\S+\.(?:[cm]?[jt]sx?|jsonc?|toml|ya?ml))(?::[^:\\/]*)?$/
const PATH = /^(?:\.{0,2}[\\/]|~|[A-Za-z]:[\\/])/
const HOST = /^[\w-]+(?:\.[\w-]+)*(?::\d+)?(?:\/|$)/

/** The programs that run the files of other languages. */
const INTERPRETERS: { readonly [extension: string]: string } = {
  '.py': 'python3',
  '.rb': 'ruby',
  '.sh': 'sh',
  '.php': 'php',
  '.pl': 'perl',
  '.jar': 'java -jar',
  '.go': 'go run',
}

/** Describes why a text names no server: a file that does not exist, a program, a URL without its scheme, or anything else. */
export function notAServer(text: string): CliError {
  const file = FILE.exec(text)?.[1] ?? (PATH.test(text) && !/\s/.test(text) ? text : undefined)
  if (file !== undefined && !existsSync(file)) return usageError(`no such file: ${file}`)
  return usageError(`${JSON.stringify(text)} is not a server`, hintFor(text))
}

function hintFor(text: string): string {
  if (existsSync(text)) return hintForFile(text)
  if (HOST.test(text) && /[:.]/.test(text)) return 'a URL starts with https:// or http://'
  if (/\s/.test(text)) return `to start a program, write -- ${text}`
  return 'pass a URL, a module, file:name of a configuration, or -- and a program'
}

/** Returns how to start the program in a file. */
function hintForFile(path: string): string {
  if (statSync(path).isDirectory()) return 'it is a directory; pass the file of a module, or -- and a program'
  const program = /[\\/]/.test(path) ? path : `./${path}`
  if (isExecutable(path)) return `to start it as a program, write -- ${program}`
  const interpreter = INTERPRETERS[extname(path)]
  return interpreter
    ? `to start it as a program, write -- ${interpreter} ${path}`
    : `it is not executable: run chmod +x ${path}, then write -- ${program}`
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
