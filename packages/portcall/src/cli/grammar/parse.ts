/**
 * Reads a command line. Flags stand anywhere; `--` has one meaning: what follows is the program that is the server, with its arguments.
 */
import { parseArgs } from 'node:util'
import type { Command, Flag, Flags, TargetWords } from '../command.ts'
import { misused } from '../stop.ts'
import { COMMON, CONNECTION } from './flags.ts'
import { didYouMean } from './nearest.ts'

export interface Parsed {
  readonly flags: { readonly [name: string]: boolean | string | readonly string[] | undefined }
  readonly target: TargetWords
  readonly words: readonly string[]
}

/** All flags that a command understands. */
export function flagsOf({ flags, takes }: Pick<Command, 'flags' | 'takes'>): Flags {
  return { ...flags, ...(takes === 'target' && CONNECTION), ...COMMON }
}

/** Divides a command line at the first `--`. */
export function divide(args: readonly string[]): { own: readonly string[]; program: readonly string[] | undefined } {
  const at = args.indexOf('--')
  return at === -1 ? { own: args, program: undefined } : { own: args.slice(0, at), program: args.slice(at + 1) }
}

/** Reads what stands after the name of a command. @throws Stop that says what cannot be understood. */
export function parse(command: Command, args: readonly string[]): Parsed {
  const { own, program } = divide(args)
  const flags = flagsOf(command)
  const { values, words } = readFlags(flags, own)
  if (values.help === true) return { flags: values, target: { word: '' }, words: [] }
  const { target, rest } = readTarget(command, words, program)
  checkWords(command, rest)
  return { flags: values, target, words: rest }
}

function readFlags(flags: Flags, own: readonly string[]): { values: Parsed['flags']; words: string[] } {
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, { type, short, multiple }]) => [
      name,
      { type, ...(short && { short }), ...(multiple && { multiple }) },
    ]),
  )
  const { tokens } = parseArgs({ args: [...own], options, strict: false, allowPositionals: true, tokens: true })
  const values: { [name: string]: boolean | string | string[] } = {}
  for (const [name, { type, multiple }] of Object.entries(flags)) {
    if (type === 'boolean') values[name] = false
    else if (multiple) values[name] = []
  }
  const words: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value)
    if (token.kind !== 'option') continue
    const { name, rawName } = token
    const flag = Object.hasOwn(flags, name) ? flags[name] : undefined
    if (!flag) throw misused(`there is no flag ${rawName}`, didYouMean(name, Object.keys(flags)))
    const value = readValue(token, flag)
    if (flag.multiple) (values[name] as string[]).push(String(value))
    else if (typeof value === 'string' && name in values) throw misused(`${rawName} was given twice`)
    else values[name] = value
  }
  return { values, words }
}

interface OptionToken {
  readonly rawName: string
  readonly value?: string | undefined
  readonly inlineValue?: boolean | undefined
}

function readValue({ rawName, value, inlineValue }: OptionToken, { type, value: called }: Flag): string | true {
  if (type === 'boolean') {
    if (value !== undefined) throw misused(`${rawName} takes no value`)
    return true
  }
  if (value === undefined || (!inlineValue && /^-./.test(value))) throw misused(`${rawName} needs a value: ${rawName} ${called}`)
  return value
}

function readTarget(
  { name, takes }: Command,
  words: readonly string[],
  program: readonly string[] | undefined,
): { target: TargetWords; rest: readonly string[] } {
  if (takes === 'none') {
    if (program) throw misused(`${name} takes no server, so -- has no meaning here`)
    return { target: { word: '' }, rest: words }
  }
  if (program) {
    if (program.length === 0)
      throw misused('-- has to be followed by the program that is the server', 'portcall list -- node server.js')
    return { target: { program }, rest: words }
  }
  const [word, ...rest] = words
  if (word === undefined)
    throw misused(`${name} needs a server`, 'give a URL, a module, FILE:NAME of a configuration, or a program after --')
  return { target: { word }, rest }
}

function checkWords({ name, words: wanted }: Command, words: readonly string[]): void {
  const missing = wanted[words.length]
  if (missing !== undefined && !missing.startsWith('[')) throw misused(`${name} needs ${missing}`, `portcall ${name} --help`)
  if (words.length > wanted.length && !wanted.at(-1)?.includes('…'))
    throw misused(`${name} does not know what to do with ${JSON.stringify(words[wanted.length])}`, `portcall ${name} --help`)
}
