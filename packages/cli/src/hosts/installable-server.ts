import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findScript } from '../../../util/src/find-script.ts'
import { usageError } from '../cli-error.ts'
import type { ServerArgument } from '../command.ts'
import { parseHeaderFlags, readEnvFlags } from '../command-line/flag-values.ts'
import { isModule } from '../target/module.ts'
import { checkExports, checkLinks } from '../target/program-file.ts'
import { resolveTarget } from '../target/resolve.ts'
import type { HostSystem, InstallableServer } from './hosts.ts'
import { makePortable } from './portable-program.ts'

/** The options that describe a server. */
export interface ServerFlags {
  readonly header: readonly string[]
  readonly env: readonly string[]
  readonly cwd: string | undefined
  /** True to describe a server that seems not to work, too. */
  readonly force: boolean
}

/**
 * Describes a server for a configuration, such that it works in any directory.
 *
 * @throws CliError for a server that cannot work, unless `force` is set.
 */
export async function describeServer(server: ServerArgument, flags: ServerFlags): Promise<InstallableServer> {
  const { header, cwd, force } = flags
  const env = readEnvFlags(flags.env)
  if ('program' in server) {
    const [command = '', ...args] = server.program
    return makePortable({ command, args, env, cwd }, force)
  }
  const { location } = server
  if (isModule(location)) {
    const path = resolve(location)
    if (!force) {
      checkLinks({ path, word: location }, process.execPath, env)
      checkExports({ path, word: location })
    }
    const { command, args } = thisCommand()
    return { command, args: [...args, 'serve', path, '--stdio'], env }
  }
  const { target, headers } = await resolveTarget(server, { env: flags.env, cwd })
  if (target instanceof URL) return { url: target.href, headers: { ...headers, ...parseHeaderFlags(header) } }
  if (typeof target === 'object' && 'command' in target) {
    const { command, args = [], env: configuredEnv = {}, cwd: configuredCwd } = target
    return makePortable({ command, args, env: { ...configuredEnv, ...env }, cwd: configuredCwd }, force)
  }
  throw usageError('this server cannot be installed', 'pass a URL, a module, file:name of a configuration, or -- and a program')
}

/** Returns how a host starts this command. What npx has installed in its cache may be deleted. */
export function thisCommand(): { readonly command: string; readonly args: readonly string[] } {
  const main = fileURLToPath(new URL('main.js', import.meta.url))
  return /[\\/]_npx[\\/]/.test(main) ? { command: 'npx', args: ['-y', 'portcall'] } : { command: process.execPath, args: [main] }
}

/**
 * Makes a server work in every host: on Windows, `npx` and other scripts need `cmd.exe`, which some hosts do not add.
 */
export function adaptToSystem(
  server: InstallableServer,
  { platform, env }: Pick<HostSystem, 'platform' | 'env'>,
): InstallableServer {
  if (platform !== 'win32' || 'url' in server) return server
  const { command, args, cwd } = server
  return findScript({ command, cwd, env }) === undefined ? server : { ...server, command: 'cmd', args: ['/c', command, ...args] }
}
