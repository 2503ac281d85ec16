import { basename } from 'node:path'
import { isUrl } from '../../../util/src/parse-url.ts'
import { usageError } from '../cli-error.ts'
import type { ServerArgument } from '../command.ts'
import { readEnvFlags } from '../command-line/flag-values.ts'
import { guardStdout } from '../io.ts'
import type { ResolvedTarget } from './config-file.ts'
import { notAServer } from './not-a-server.ts'

/** The options of a program. */
export interface ProgramFlags {
  readonly env: readonly string[]
  readonly cwd: string | undefined
}

/** Finds out what the server argument is: a program, a URL, a module, or a server of a configuration file. @throws CliError */
export async function resolveTarget(
  server: ServerArgument,
  flags: ProgramFlags = { env: [], cwd: undefined },
): Promise<ResolvedTarget> {
  if ('program' in server) return { target: toStdioTarget(server.program, flags) }
  const { location } = server
  if (/^https?:\/\//i.test(location)) {
    if (!isUrl(location)) throw usageError(`${location} is not a valid URL`)
    return { target: new URL(location) }
  }
  const { splitConfigLocation, readConfigFile } = await import('./config-file.ts')
  const config = splitConfigLocation(location)
  if (config) return readConfigFile(config.path, config.name)
  const { isModule, loadServer } = await import('./module.ts')
  if (isModule(location)) {
    guardStdout()
    return { target: await loadServer(location) }
  }
  throw notAServer(location)
}

function toStdioTarget([command = '', ...args]: readonly string[], { env, cwd }: ProgramFlags): ResolvedTarget['target'] {
  return { command, args, env: readEnvFlags(env), ...(cwd !== undefined && { cwd }) }
}

/** Names a server in messages. */
export function nameOfTarget({ target }: Pick<ResolvedTarget, 'target'>): string {
  if (target instanceof URL) return target.host
  if (typeof target === 'string') return basename(target)
  return typeof target === 'object' && 'command' in target ? basename(target.command) : 'server'
}
