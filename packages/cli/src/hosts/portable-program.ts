import { existsSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { type CliError, usageError } from '../cli-error.ts'
import { isModule } from '../target/module.ts'
import { checkExports, checkLinks, checkServes } from '../target/program-file.ts'
import { toAbsolute, toAbsoluteValue } from './absolute-paths.ts'
import type { InstallableServer } from './hosts.ts'
import { findBinary } from './package-binary.ts'
import { addProjectDirectory, type ProgramContext } from './package-scripts.ts'
import { noSuchFile, type PortableArgs, resolveArgs } from './runtimes.ts'

type Program = Extract<InstallableServer, { command: string }>

/**
 * Describes a program such that hosts can start it in any directory: paths are absolute, package managers get the directory of the project, and
 * binaries of `node_modules` are started by their path. Words that are not paths of the directory are unchanged.
 *
 * @throws CliError for a program that cannot work, unless the user insists.
 */
export function makePortable(program: Program, isForced: boolean): Program {
  const directory = resolve(program.cwd ?? '.')
  const refuse = (error: CliError): void => {
    if (!isForced) throw error
  }
  if (!existsSync(directory)) refuse(usageError(`no such directory: ${program.cwd}`))
  const context: ProgramContext = { directory, refuse }
  const binary = findBinary(program.command, program.args, directory)
  const [command = '', ...before] = binary?.start ?? [resolveCommand(program.command, context)]
  const { name, args } = binary ?? { name: nameOf(program.command), args: program.args }
  const ofProject = binary ? undefined : addProjectDirectory(name, args, context)
  const env = Object.fromEntries(Object.entries(program.env).map(([key, value]) => [key, toAbsoluteValue(value, directory)]))
  const resolved: PortableArgs = ofProject && name !== 'uv' ? { args: ofProject } : resolveArgs(name, ofProject ?? args, context)
  if (!isForced) checkScript(resolved, { name, command, args, env })
  return {
    ...program,
    command,
    args: [...before, ...resolved.args],
    env: { ...moduleEnv(name, args, directory), ...env },
    cwd: program.cwd === undefined ? undefined : directory,
  }
}

/** @throws CliError for a script that cannot work as a server. */
function checkScript(
  { script }: PortableArgs,
  { name, command, args, env }: Omit<Program, 'cwd'> & { readonly name: string },
): void {
  if (script === undefined || !isModule(script.file)) return
  const file = { path: script.file, word: args[script.at] ?? '' }
  // Options may change what Node can load.
  if (name === 'portcall' || (name === 'node' && script.at === 0)) checkLinks(file, name === 'node' ? command : 'node', env)
  if (name === 'portcall') checkExports(file)
  else checkServes(file, name)
}

function resolveCommand(command: string, { directory, refuse }: ProgramContext): string {
  if (!/[\\/]/.test(command)) return toAbsolute(command, directory)
  const path = resolve(directory, command)
  if (!existsSync(path)) refuse(noSuchFile(command, directory))
  return path
}

function nameOf(command: string): string {
  return basename(command)
    .replace(/\.(?:exe|cmd)$/i, '')
    .replace(/^python[\d.]+$/, 'python')
}

/** Returns the variable that lets `python -m NAME` find a module of the directory. */
function moduleEnv(name: string, args: readonly string[], directory: string): { readonly [name: string]: string } {
  const at = name === 'python' ? args.indexOf('-m') : -1
  const [module = ''] = at === -1 ? [] : (args[at + 1] ?? '').split('.')
  const isLocal = module !== '' && [module, `${module}.py`].some((file) => existsSync(resolve(directory, file)))
  return isLocal ? { PYTHONPATH: directory } : {}
}
