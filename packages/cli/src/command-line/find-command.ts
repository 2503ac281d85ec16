import type { Flags } from '../command.ts'
import { splitAtProgram } from './parse.ts'

export interface FindCommandOptions {
  /** The options that may precede the command. Their values are skipped. */
  readonly flags: Flags
  readonly isCommand: (name: string) => boolean
}

/** The name of the command, and its arguments. */
export interface CommandWords {
  readonly name: string | undefined
  readonly args: readonly string[]
}

/** Finds the command in a command line. Options may precede it: `portcall --json list …`, `portcall --port 8080 serve …`. */
export function findCommand(args: readonly string[], { flags, isCommand }: FindCommandOptions): CommandWords {
  const { ownArgs } = splitAtProgram(args)
  let at = 0
  while (ownArgs[at]?.startsWith('-')) at += takesNextWord(ownArgs[at] ?? '', flags) ? 2 : 1
  // Values of options that belong to one command only are not skipped, so that they seem to be the command.
  const known = at > 0 && !isCommand(ownArgs[at] ?? '') ? ownArgs.findIndex(isCommand) : at
  const index = known === -1 ? at : known
  const name = ownArgs[index]
  return { name, args: name === undefined ? args : args.filter((_, other) => other !== index) }
}

/** Reports whether the next word is the value of an option: of `--timeout` and `-t`, but not of `--timeout=5` and `-t5`. */
function takesNextWord(word: string, flags: Flags): boolean {
  return Object.entries(flags).some(
    ([name, { type, short }]) => type === 'string' && (word === `--${name}` || (short !== undefined && word === `-${short}`)),
  )
}
