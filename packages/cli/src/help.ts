/** The help texts, generated from the definitions of the commands. */
import type { Command, Flags } from './command.ts'
import { COMMON_FLAGS, CONNECTION_FLAGS } from './command-line/flags.ts'
import { COMMANDS } from './commands.ts'
import { EXIT_CODES, EXIT_DESCRIPTIONS, type ExitReason } from './exit-codes.ts'

const HEAD = `Usage: portcall <command> [server] [args...] [options]

Use, serve, check and install servers of the Model Context Protocol.`

const SERVERS: readonly (readonly [string, string])[] = [
  ['https://host/mcp', 'The URL of a server'],
  ['file:name', 'A server of a configuration file, such as .mcp.json:notes'],
  ['./server.js', 'A module that exports a server'],
  ['-- program [args...]', 'A program to start; everything after -- belongs to it'],
]

/** Returns the help of the whole command. */
export function overview(): string {
  const commands = Object.entries(COMMANDS).map(([name, { summary }]) => [name, summary] as const)
  const exitCodes = Object.entries(EXIT_CODES).map(
    ([name, code]) => [String(code), EXIT_DESCRIPTIONS[name as ExitReason]] as const,
  )
  return [
    HEAD,
    section('Commands', commands),
    section('Servers', SERVERS),
    section('Global options', [...rows(COMMON_FLAGS), ['-V, --version', 'Print the version']]),
    section('Exit codes', exitCodes),
    "Run 'portcall <command> --help' for more information on a command.",
  ].join('\n\n')
}

/** Returns the usage line of a command. */
function usageOf({ name, serverUse, args, usage }: Pick<Command, 'name' | 'serverUse' | 'args' | 'usage'>): string {
  if (usage !== undefined) return `portcall ${name} ${usage} [options]`
  return ['portcall', name, ...(serverUse === 'none' || serverUse === 'many' ? [] : ['<server>']), ...args, '[options]'].join(' ')
}

/** Returns the help of one command. */
export function commandHelp(command: Command): string {
  const { summary, details = [], choices = [], flags, serverUse, examples } = command
  return [
    `Usage: ${usageOf(command)}`,
    `${summary}.`,
    ...details.map((text) => wrap(text)),
    ...choices.map(({ title, values }) => section(title, Object.entries(values))),
    ...(Object.keys(flags).length > 0 ? [section('Options', rows(flags))] : []),
    ...(serverUse === 'connect' ? [section('Connection options', rows(CONNECTION_FLAGS))] : []),
    section('Global options', rows(COMMON_FLAGS)),
    section(
      'Examples',
      examples.map((example) => [example, ''] as const),
    ),
  ].join('\n\n')
}

/** Returns all commands, options and exit codes as JSON, for programs and for the documentation. */
export async function catalog(): Promise<string> {
  const commands = await Promise.all(
    Object.values(COMMANDS).map(async ({ load }) => {
      const { run: _run, ...command } = await load()
      return { ...command, usage: usageOf(command) }
    }),
  )
  const flags = { common: COMMON_FLAGS, connection: CONNECTION_FLAGS }
  return JSON.stringify({ commands, flags, exit: EXIT_CODES, meanings: EXIT_DESCRIPTIONS })
}

/** Returns `-H, --header NAME:VALUE`. */
function flagUsage(name: string, { short, value }: Flags[string]): string {
  return `${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`
}

function rows(flags: Flags): (readonly [string, string])[] {
  return Object.entries(flags).map(([name, flag]) => [flagUsage(name, flag), flag.description] as const)
}

const MAX_COLUMN_WIDTH = 30
const MAX_LINE_WIDTH = 100

function section(title: string, lines: readonly (readonly [string, string])[]): string {
  const width = Math.min(MAX_COLUMN_WIDTH, Math.max(...lines.map(([left]) => left.length)))
  const indent = ' '.repeat(width + 4)
  return [`${title}:`, ...lines.map(([left, right]) => `  ${left.padEnd(width)}  ${wrap(right, indent)}`.trimEnd())].join('\n')
}

/** Breaks a text into lines that fit the terminal; one that does not know its width reports 0. `indent` precedes all lines but the first, whose indentation is printed already. */
function wrap(text: string, indent = ''): string {
  const width = Math.min(process.stdout.columns || MAX_LINE_WIDTH, MAX_LINE_WIDTH) - indent.length
  const lines = ['']
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1) ?? ''
    if (last !== '' && last.length + word.length >= width) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines.join(`\n${indent}`)
}
