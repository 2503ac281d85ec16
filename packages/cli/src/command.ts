/** A command of the command line, as data: the parser, the help, the documentation and the completion all read it. */
import type { ExitReason } from './exit-codes.ts'
import type { Io } from './io.ts'

/** An option: `--name`, or `--name VALUE`, which may be repeatable. */
export interface Flag {
  readonly type: 'boolean' | 'string'
  readonly short?: string
  readonly multiple?: boolean
  /** The placeholder of its value in the help. */
  readonly value?: string
  readonly description: string
}

export type Flags = { readonly [name: string]: Flag }

/** The values of options. */
export type ValuesOf<F extends Flags> = {
  readonly [name in keyof F]: F[name] extends { type: 'boolean' }
    ? boolean
    : F[name] extends { multiple: true }
      ? readonly string[]
      : string | undefined
}

/** The option whose value has a given type. */
export type FlagOf<Value> = Flag &
  (Value extends boolean
    ? { readonly type: 'boolean' }
    : Value extends readonly string[]
      ? { readonly type: 'string'; readonly multiple: true }
      : { readonly type: 'string' })

/** A parsed command line. */
export interface Invocation<F extends Flags = Flags> {
  readonly flags: ValuesOf<F>
  /** The positional arguments after the server. */
  readonly args: readonly string[]
  /** The server; empty for a command without one. */
  readonly server: ServerArgument
  readonly io: Io
}

/** The server of a command line: the first positional argument, or the program and its arguments after `--`. */
export type ServerArgument = { readonly location: string } | { readonly program: readonly string[] }

/** The servers that a command takes: it connects to one, only needs its location, takes any number as its arguments, or none. */
export type ServerUse = 'connect' | 'locate' | 'many' | 'none'

/** The values of an argument or option, with their meanings. */
export interface Choices {
  readonly title: string
  readonly values: { readonly [value: string]: string }
}

export interface Command<F extends Flags = Flags> {
  readonly name: string
  readonly summary: string
  readonly serverUse: ServerUse
  /** True if the first positional argument is an action, before the server: `args` starts with it. */
  readonly actionFirst?: boolean
  /** The positional arguments after the server, as in the help: `<tool>`, `[arguments...]`. */
  readonly args: readonly string[]
  readonly flags: F
  /** The text that follows the name in the usage line. Default: the server and `args`. */
  readonly usage?: string
  /** More paragraphs of the help. */
  readonly details?: readonly string[]
  /** The values that an argument or option accepts: tables of the help. */
  readonly choices?: readonly Choices[]
  readonly examples: readonly string[]
  /** Runs the command. Resolves to the exit reason, by default `success`. */
  run(invocation: Invocation<F>): Promise<ExitReason | undefined | void>
}

/** Defines a command, whose `run` receives typed option values. */
export function defineCommand<const F extends Flags>(command: Command<F>): Command {
  return command as unknown as Command
}
