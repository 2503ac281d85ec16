import { existsSync } from 'node:fs'
import { delimiter, resolve } from 'node:path'

/** A command and where the system looks for its program. */
export interface ProgramLocation {
  readonly command: string
  readonly cwd?: string | undefined
  readonly env: NodeJS.ProcessEnv
}

const EXTENSIONS = '.COM;.EXE;.BAT;.CMD'
const SCRIPT = /\.(bat|cmd)$/i

/** Returns the path of the script that a command starts on Windows; `undefined` if the command starts an executable or nothing. */
export function findScript({ command, cwd = '.', env }: ProgramLocation): string | undefined {
  const extensions = (readVariable(env, 'PATHEXT') || EXTENSIONS).toLowerCase().split(';').filter(Boolean)
  const hasExtension = extensions.some((extension) => command.toLowerCase().endsWith(extension))
  const names = [...(hasExtension ? [command] : []), ...extensions.map((extension) => command + extension)]
  const folders = /[\\/]/.test(command) ? ['.'] : (readVariable(env, 'PATH') ?? '').split(delimiter).filter(Boolean)
  const paths = folders.flatMap((folder) => names.map((name) => resolve(cwd, folder, name)))
  const found = paths.find((path) => existsSync(path))
  return found !== undefined && SCRIPT.test(found) ? found : undefined
}

/** Reads a variable whatever the case of its name. */
export function readVariable(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const found = Object.keys(env).find((key) => key.toUpperCase() === name)
  return found === undefined ? undefined : env[found]
}
