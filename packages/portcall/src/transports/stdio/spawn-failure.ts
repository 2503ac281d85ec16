import { existsSync, statSync } from 'node:fs'
import { delimiter } from 'node:path'
import { SpawnError } from './spawn-error.ts'

/** What was to be started, and where. */
export interface Attempt {
  readonly command: string
  readonly cwd: string | undefined
  readonly env: NodeJS.ProcessEnv
}

const MAX_PATH_TEXT = 1000

/** Explains why a program could not be started: the system's own word for it names neither the folder nor `PATH`. */
export function explainFailure(attempt: Attempt, cause: unknown): SpawnError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const why = findReason(attempt, code) ?? (cause instanceof Error ? cause.message : String(cause))
  return new SpawnError(attempt.command, `Cannot start "${attempt.command}": ${why}`, { cause })
}

function findReason({ command, cwd, env }: Attempt, code: string): string | undefined {
  if (cwd !== undefined && !isFolder(cwd))
    return `its working directory ${cwd} ${existsSync(cwd) ? 'is not a folder' : 'does not exist'}`
  if (code === 'ENOENT') return /[\\/]/.test(command) ? explainFile(command) : explainSearch(env)
  if (code === 'EACCES')
    return isFolder(command)
      ? 'it is a folder'
      : `there is no permission to run it (${code}); is it executable?${searchedIn(command, env)}`
  if (code === 'EINVAL' && process.platform === 'win32')
    return 'it is a script: use the command "cmd" with the arguments "/c" and the script'
  return undefined
}

function explainFile(command: string): string {
  return existsSync(command) ? 'the interpreter that its first line names does not exist (ENOENT)' : 'no such file (ENOENT)'
}

function explainSearch(env: NodeJS.ProcessEnv): string {
  const windows =
    process.platform === 'win32' ? ', and scripts such as npx need the command "cmd" with the arguments "/c" and the script' : ''
  return `no such program in PATH (ENOENT). PATH is ${pathOf(env)}. Give the whole path of the program, or set env.PATH${windows}`
}

function searchedIn(command: string, env: NodeJS.ProcessEnv): string {
  return /[\\/]/.test(command) ? '' : ` PATH is ${pathOf(env)}`
}

function pathOf(env: NodeJS.ProcessEnv): string {
  const path = env.PATH ?? env.Path
  if (path === undefined || path === '') return 'empty'
  return path.length > MAX_PATH_TEXT ? `${path.slice(0, MAX_PATH_TEXT)}${delimiter}…` : path
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
