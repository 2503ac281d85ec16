import type { Command, Given } from './command.ts'
import type { Ending } from './exit.ts'
import { parse } from './grammar/parse.ts'
import { createIo } from './io.ts'

export interface RunOptions {
  readonly args: readonly string[]
  readonly isJson: boolean
  readonly signal: AbortSignal
}

/** Runs one command with what stands after its name; resolves to how it ends. */
export async function runCommand(command: Command, { args, isJson, signal }: RunOptions): Promise<Ending> {
  const { flags, target, words } = parse(command, args)
  const io = createIo({ json: isJson, input: flags['no-input'] !== true, signal })
  if (flags.help === true) {
    io.data((await import('./help.ts')).helpOf(command))
    return 'done'
  }
  return (await command.run({ flags, target, words, io } as Given)) ?? 'done'
}
