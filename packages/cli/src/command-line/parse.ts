/** Parses a command line. Options may stand anywhere. Everything after `--` is the program that is the server, with its arguments. */
import { parseArgs } from 'node:util'
import { usageError } from '../cli-error.ts'
import type { Command, Flag, Flags, ServerArgument } from '../command.ts'
import { didYouMean } from './did-you-mean.ts'
import { COMMON_FLAGS, CONNECTION_FLAGS } from './flags.ts'

export interface ParsedLine {
  readonly flags: { readonly [name: string]: boolean | string | readonly string[] | undefined }
  readonly server: ServerArgument
  readonly args: readonly string[]
}

/** Returns all options of a command. */
export function flagsOf({ flags, serverUse }: Pick<Command, 'flags' | 'serverUse'>): Flags {
  return { ...flags, ...(serverUse === 'connect' && CONNECTION_FLAGS), ...COMMON_FLAGS }
}

/** Splits a command line at the first `--`. */
export function splitAtProgram(args: readonly string[]): {
  ownArgs: readonly string[]
  program: readonly string[] | undefined
} {
  const at = args.indexOf('--')
  return at === -1 ? { ownArgs: args, program: undefined } : { ownArgs: args.slice(0, at), program: args.slice(at + 1) }
}

/** Parses the arguments after the name of a command. @throws CliError when they are invalid. */
export function parse(command: Command, args: readonly string[]): ParsedLine {
  const { ownArgs, program } = splitAtProgram(args)
  const { values, positionals } = parseFlags(flagsOf(command), ownArgs)
  if (values.help === true) return { flags: values, server: { location: '' }, args: [] }
  const { server, rest } = takeServer(command, positionals, program)
  checkArgs(command, rest)
  return { flags: values, server, args: rest }
}

function parseFlags(flags: Flags, args: readonly string[]): { values: ParsedLine['flags']; positionals: string[] } {
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, { type, short, multiple }]) => [
      name,
      { type, ...(short && { short }), ...(multiple && { multiple }) },
    ]),
  )
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true })
  const values: { [name: string]: boolean | string | string[] } = {}
  for (const [name, { type, multiple }] of Object.entries(flags)) {
    if (type === 'boolean') values[name] = false
    else if (multiple) values[name] = []
  }
  const positionals: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    const { name, rawName } = token
    const flag = Object.hasOwn(flags, name) ? flags[name] : undefined
    if (!flag) throw usageError(`unknown option: ${rawName}`, hintOf(name, flags))
    const value = readValue(token, flag)
    if (flag.multiple) (values[name] as string[]).push(String(value))
    else if (typeof value === 'string' && Object.hasOwn(values, name)) throw usageError(`${rawName} is set twice`)
    else values[name] = value
  }
  return { values, positionals }
}

/** Options that belong to the program of a server. */
const HINTS: { readonly [name: string]: string } = {
  stdio: 'write -- before the program that serves over stdio: portcall … -- node server.js --stdio',
}

const hintOf = (name: string, flags: Flags): string | undefined => HINTS[name] ?? didYouMean(name, Object.keys(flags), '--')

interface OptionToken {
  readonly rawName: string
  readonly value?: string | undefined
  readonly inlineValue?: boolean | undefined
}

function readValue({ rawName, value, inlineValue }: OptionToken, { type, value: placeholder }: Flag): string | true {
  if (type === 'boolean') {
    if (value !== undefined) throw usageError(`${rawName} takes no value`)
    return true
  }
  if (value === undefined || (!inlineValue && /^-./.test(value)))
    throw usageError(`${rawName} needs a value: ${rawName} ${placeholder}`)
  return value
}

/** Takes the server from the positional arguments, after the action of a command that has one. */
function takeServer(
  command: Command,
  positionals: readonly string[],
  program: readonly string[] | undefined,
): ReturnType<typeof takeFirst> {
  if (!command.actionFirst) return takeFirst(command, positionals, program)
  const [action, ...others] = positionals
  if (action === undefined) throw usageError(`${command.name} needs an action`, `see portcall ${command.name} --help`)
  const { server, rest } = takeFirst(command, others, program)
  return { server, rest: [action, ...rest] }
}

function takeFirst(
  { name, serverUse, usage, actionFirst }: Command,
  positionals: readonly string[],
  program: readonly string[] | undefined,
): { server: ServerArgument; rest: readonly string[] } {
  if (serverUse === 'none') {
    if (program) throw usageError(`${name} takes no server, so -- is not allowed`)
    return { server: { location: '' }, rest: positionals }
  }
  if (serverUse === 'many' && !program) return { server: { location: '' }, rest: positionals }
  if (program) {
    if (program.length === 0)
      throw usageError('-- must be followed by the program to start', 'such as portcall list -- node server.js')
    return { server: { program }, rest: positionals }
  }
  const [location, ...rest] = positionals
  if (location === undefined && usage !== undefined && !actionFirst)
    throw usageError(`${name} needs ${usage.split(' ')[0]}`, `see portcall ${name} --help`)
  if (location === undefined)
    throw usageError(`${name} needs a server`, 'pass a URL, a module, file:name of a configuration, or -- and a program')
  return { server: { location }, rest }
}

function checkArgs({ name, args: expected }: Command, args: readonly string[]): void {
  const missing = expected[args.length]
  if (missing !== undefined && !missing.startsWith('['))
    throw usageError(`${name} needs ${missing}`, `see portcall ${name} --help`)
  if (args.length > expected.length && !expected.at(-1)?.includes('...'))
    throw usageError(`unexpected argument: ${JSON.stringify(args[expected.length])}`, `see portcall ${name} --help`)
}
