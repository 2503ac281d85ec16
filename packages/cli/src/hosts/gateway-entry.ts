import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { usageError } from '../cli-error.ts'
import type { ServerArgument } from '../command.ts'
import { readEnvFlags } from '../command-line/flag-values.ts'
import type { InstallableServer } from './hosts.ts'
import { type ServerFlags, thisCommand } from './installable-server.ts'

/** Describes the program that serves the gateway of a configuration file over stdio. @throws CliError if there is no such file. */
export function describeGateway(server: ServerArgument, { env }: Pick<ServerFlags, 'env'>): InstallableServer {
  if ('program' in server || !existsSync(server.location))
    throw usageError(
      '--gateway needs the configuration file of the gateway',
      'such as portcall install gateway.jsonc --gateway --to cursor',
    )
  const { command, args } = thisCommand()
  return { command, args: [...args, 'gateway', '--config', resolve(server.location), '--stdio'], env: readEnvFlags(env) }
}
