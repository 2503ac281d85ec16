import type { Command, Invocation } from './command.ts'
import { parse } from './command-line/parse.ts'
import type { ExitReason } from './exit-codes.ts'
import { createIo } from './io.ts'

export interface RunCommandOptions {
  /** The arguments after the name of the command. */
  readonly args: readonly string[]
  readonly isJson: boolean
  readonly signal: AbortSignal
}

export async function runCommand(command: Command, options: RunCommandOptions): Promise<ExitReason> {
  const { flags, server, args } = parse(command, options.args)
  const io = createIo({ json: options.isJson, input: flags['no-input'] !== true, signal: options.signal })
  if (flags.help === true) {
    io.data((await import('./help.ts')).commandHelp(command))
    return 'success'
  }
  return (await command.run({ flags, server, args, io } as Invocation)) ?? 'success'
}
