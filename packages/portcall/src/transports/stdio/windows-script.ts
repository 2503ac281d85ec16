/*
 * Windows starts only executables directly. Programs such as `npx` are scripts there, which `cmd.exe` has to run. It reads its arguments in
 * its own syntax, in which a careless quotation mark lets an argument run other programs.
 */
import { findScript, readVariable } from '../../../../util/src/find-script.ts'
import { SpawnError } from './spawn-error.ts'
import type { SpawnTarget } from './spawn-failure.ts'

/** How a program is passed to `spawn`. */
export interface Launch {
  readonly command: string
  readonly args: readonly string[]
  /** True if `args` are quoted already. Only Windows reads it. */
  readonly windowsVerbatimArguments?: boolean
}

/** Characters that mean the same to `cmd.exe` inside and outside of quotation marks, besides letters and digits. */
const PLAIN = /^[\p{L}\p{N}#$*+\-./:?@\\_]+$/u

/** A percent sign, followed by a variable that expands to nothing, so that the sign never starts the name of another variable. */
const PERCENT = '%%cd:~,%'

/**
 * Returns how to start a program on Windows. A program without an extension is searched as `cmd.exe` does, with the extensions in `PATHEXT`.
 *
 * @throws SpawnError if an argument of a script contains a line break, which cannot be passed on.
 */
export function launchOnWindows(target: SpawnTarget, args: readonly string[]): Launch {
  const script = findScript(target)
  if (script === undefined) return { command: target.command, args }
  const unsafe = [script, ...args].find((arg) => /[\r\n\0]/.test(arg))
  if (unsafe !== undefined)
    throw new SpawnError(
      target.command,
      `Cannot start "${target.command}": ${JSON.stringify(unsafe)} cannot be passed to a script`,
    )
  const line = [`"${script}"`, ...args.map(quoteForScript)].join(' ')
  return {
    command: readVariable(target.env, 'COMSPEC') || 'cmd.exe',
    // Without AutoRun commands (/d) and delayed expansion of variables (/v:OFF). The outer quotation marks belong to /c.
    args: ['/e:ON', '/v:OFF', '/d', '/c', `"${line}"`],
    windowsVerbatimArguments: true,
  }
}

/** Quotes an argument for `cmd.exe`, and for the program that receives it from the script. */
function quoteForScript(arg: string): string {
  if (PLAIN.test(arg) && !arg.endsWith('\\')) return arg
  const escaped = arg
    // Backslashes are literal, except before a quotation mark.
    .replace(/(?<!\\)(\\*)"/g, '$1$1""')
    .replace(/(?<!\\)(\\+)$/, '$1$1')
    .replaceAll('%', PERCENT)
  return `"${escaped}"`
}
