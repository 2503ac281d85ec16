import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findScript } from '../../../util/src/find-script.ts'
import { usageError } from '../cli-error.ts'
import type { ServerArgument } from '../command.ts'
import { parseHeaderFlags, readEnvFlags } from '../command-line/flag-values.ts'
import { resolveTarget } from '../target/resolve.ts'
import type { HostSystem, InstallableServer } from './hosts.ts'

/** The options that describe a server. */
export interface ServerFlags {
  readonly header: readonly string[]
  readonly env: readonly string[]
  readonly cwd: string | undefined
}

/** Describes a server for a configuration. Paths become absolute, because hosts have another working directory. */
export async function describeServer(server: ServerArgument, { header, env, cwd }: ServerFlags): Promise<InstallableServer> {
  if ('program' in server) {
    const [command = '', ...args] = server.program
    return {
      command: toAbsolute(command),
      args: args.map(toAbsolute),
      env: readEnvFlags(env),
      cwd: cwd === undefined ? undefined : resolve(cwd),
    }
  }
  const { location } = server
  if (/\.[cm]?[jt]sx?$/.test(location) && existsSync(location)) {
    const main = fileURLToPath(new URL('main.js', import.meta.url))
    return { command: process.execPath, args: [main, 'serve', resolve(location), '--stdio'], env: readEnvFlags(env) }
  }
  const { target, headers } = await resolveTarget(server, { env, cwd })
  if (target instanceof URL) return { url: target.href, headers: { ...headers, ...parseHeaderFlags(header) } }
  if (typeof target === 'object' && 'command' in target) {
    const { command, args = [], env: configuredEnv = {}, cwd: configuredCwd } = target
    return { command, args, env: { ...configuredEnv, ...readEnvFlags(env) }, cwd: configuredCwd }
  }
  throw usageError('this server cannot be installed', 'pass a URL, a module, file:name of a configuration, or -- and a program')
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

/** Resolves a word that is the path of an existing file. */
function toAbsolute(word: string): string {
  return /[./\\]/.test(word) && !word.startsWith('-') && existsSync(word) ? resolve(word) : word
}
