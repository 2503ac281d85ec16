/**
 * What a command of the command line is: data for its grammar and its help, and the function that runs it. The parser, the help, the
 * documentation and the completion all read the same data.
 */
import type { Ending } from './exit.ts'
import type { Io } from './io.ts'

/** A flag: `--name`, `--name VALUE`, or the latter several times. */
export interface Flag {
  readonly type: 'boolean' | 'string'
  readonly short?: string
  readonly multiple?: boolean
  /** How its value is called in the help. */
  readonly value?: string
  readonly description: string
}

export type Flags = { readonly [name: string]: Flag }

/** The values of flags, as they were given. */
export type ValuesOf<F extends Flags> = {
  readonly [name in keyof F]: F[name] extends { type: 'boolean' }
    ? boolean
    : F[name] extends { multiple: true }
      ? readonly string[]
      : string | undefined
}

/** The flag whose value is of a type. */
export type FlagOf<Value> = Flag &
  (Value extends boolean
    ? { readonly type: 'boolean' }
    : Value extends readonly string[]
      ? { readonly type: 'string'; readonly multiple: true }
      : { readonly type: 'string' })

/** What stands on the command line, read by the grammar of a command. */
export interface Given<F extends Flags = Flags> {
  readonly flags: ValuesOf<F>
  /** What is no flag; for a command with a target, what comes after it. */
  readonly words: readonly string[]
  /** Where the server is: the first word, or what follows `--`. Empty for a command without a target. */
  readonly target: TargetWords
  readonly io: Io
}

/** The server of a command line: a word, or a program with its arguments. */
export type TargetWords = { readonly word: string } | { readonly program: readonly string[] }

/** Whether a command uses a server, only has to know where it is, or has none. */
export type Takes = 'target' | 'place' | 'none'

export interface Command<F extends Flags = Flags> {
  readonly name: string
  readonly summary: string
  readonly takes: Takes
  /** What comes after the target: `TOOL`, `[ARGUMENT …]`. */
  readonly words: readonly string[]
  readonly flags: F
  /** More to say in the help: paragraphs. */
  readonly details?: readonly string[]
  readonly examples: readonly string[]
  /** Does it; resolves to how it ends, `done` by default. */
  run(given: Given<F>): Promise<Ending | undefined | void>
}

/** Makes a command; the values of its flags are typed inside. */
export function defineCommand<const F extends Flags>(command: Command<F>): Command {
  return command as unknown as Command
}
