import { existsSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter } from 'node:path'
import { SpawnError } from './spawn-error.ts'

/** A program and its surroundings. */
export interface SpawnTarget {
  readonly command: string
  readonly cwd: string | undefined
  readonly env: NodeJS.ProcessEnv
}

const MAX_PATH_TEXT = 1000

/** Explains why a program could not be started. The error of the system names neither the working directory nor `PATH`. */
export function explainFailure(target: SpawnTarget, cause: unknown): SpawnError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const { problem, reason } = findReason(target, code) ?? { reason: cause instanceof Error ? cause.message : String(cause) }
  return new SpawnError(target.command, `Cannot start "${target.command}": ${reason}`, { cause, problem })
}

/** Why a program could not be started. */
interface Failure {
  readonly reason: string
  readonly problem?: SpawnError['problem']
}

function findReason({ command, cwd, env }: SpawnTarget, code: string): Failure | undefined {
  if (cwd !== undefined && !isDirectory(cwd))
    return { reason: `its working directory ${cwd} ${existsSync(cwd) ? 'is not a directory' : 'does not exist'}` }
  if (code === 'ENOENT' && !EXPANDED_BY_SHELL.test(command) && /\s/.test(command.trim()) && !existsSync(command))
    return { reason: explainArguments(command), problem: 'command-line' }
  if (code === 'ENOENT') {
    const expanded = explainShellPath(command)
    return expanded === undefined
      ? { reason: /[\\/]/.test(command) ? explainFile(command) : explainSearch(env) }
      : { reason: expanded, problem: 'command-line' }
  }
  if (code !== 'EACCES') return undefined
  const reason = isDirectory(command)
    ? 'it is a directory'
    : `permission denied (${code}); is it executable?${searchedIn(command, env)}`
  return { reason }
}

/** Syntax that only a shell understands, at the start of a path: `~`, `$NAME`, `${NAME}`, `%NAME%`. */
const EXPANDED_BY_SHELL = /^(?:~[^\\/]*|\$\w+|\$\{\w+\}|%\w+%)(?=[\\/])/
/** Operators of a shell between commands. */
const SHELL_OPERATORS = /(?:^|\s)(?:&&|\|\|?|;|>>?|<)(?=\s|$)/

function explainShellPath(command: string): string | undefined {
  const [start] = EXPANDED_BY_SHELL.exec(command) ?? []
  if (start === undefined) return undefined
  const home = start === '~' || /^\$\{?HOME\}?$/.test(start) ? `: ${homedir()}${command.slice(start.length)}` : ''
  return `no such file (ENOENT). Only a shell expands ${start}. Write the full path${home}`
}

function explainArguments(command: string): string {
  if (SHELL_OPERATORS.test(command))
    return `no such program (ENOENT). command is one program, and not a line for a shell. Start a shell: { command: 'sh', args: ['-c', ${JSON.stringify(command)}] }`
  const [program, ...args] = command.trim().split(/\s+/)
  return `no such program (ENOENT). command is the program only. Pass its arguments in args: { command: ${quote(program)}, args: [${args.map(quote).join(', ')}] }`
}

function quote(text: string | undefined): string {
  return `'${text}'`
}

function explainFile(command: string): string {
  return existsSync(command) ? 'the interpreter named in its first line does not exist (ENOENT)' : 'no such file (ENOENT)'
}

function explainSearch(env: NodeJS.ProcessEnv): string {
  return `no such program in PATH (ENOENT). PATH is ${pathOf(env)}. Use the full path of the program, or set env.PATH`
}

function searchedIn(command: string, env: NodeJS.ProcessEnv): string {
  return /[\\/]/.test(command) ? '' : ` PATH is ${pathOf(env)}`
}

function pathOf(env: NodeJS.ProcessEnv): string {
  const path = env.PATH ?? env.Path
  if (path === undefined || path === '') return 'empty'
  return path.length > MAX_PATH_TEXT ? `${path.slice(0, MAX_PATH_TEXT)}${delimiter}…` : path
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
