/** Help, made of the data of the commands. */
import type { Command, Flags } from './command.ts'
import { COMMANDS } from './commands.ts'
import { type Ending, EXIT, MEANINGS } from './exit.ts'
import { COMMON, CONNECTION } from './grammar/flags.ts'

const HEAD = `portcall COMMAND [SERVER] [WORD …] [FLAG …]

Uses, serves, checks and installs servers of the Model Context Protocol.`

const SERVERS: readonly (readonly [string, string])[] = [
  ['https://HOST/mcp', 'a server over HTTP'],
  ['-- PROGRAM …', 'a program that is started; everything after -- belongs to it'],
  ['FILE:NAME', 'a server of a configuration: .mcp.json:notes'],
  ['./server.js', 'a module that exports a server'],
]

/** The help of the command line as a whole. */
export function overview(): string {
  const commands = Object.entries(COMMANDS).map(([name, { summary }]) => [name, summary] as const)
  const endings = Object.entries(EXIT).map(([name, code]) => [String(code), MEANINGS[name as Ending]] as const)
  return [
    HEAD,
    section('Commands', commands),
    section('Servers', SERVERS),
    section('Exit codes', endings),
    'portcall COMMAND --help tells more about one of them.',
  ].join('\n\n')
}

/** How a command is written: its name, its server, its words. */
export function usage({ name, takes, words }: Command): string {
  return ['portcall', name, ...(takes === 'none' ? [] : ['SERVER']), ...words].join(' ')
}

/** The help of one command. */
export function helpOf(command: Command): string {
  const { summary, details = [], flags, takes, examples } = command
  return [
    usage(command),
    `${summary}.`,
    ...details,
    ...(Object.keys(flags).length > 0 ? [section('Flags', rows(flags))] : []),
    section(takes === 'target' ? 'Flags of every command with a server' : 'Flags of every command', [
      ...(takes === 'target' ? rows(CONNECTION) : []),
      ...rows(COMMON),
    ]),
    section(
      'Examples',
      examples.map((line) => [line, ''] as const),
    ),
  ].join('\n\n')
}

/** A flag as it is written: `-H, --header NAME:VALUE`. */
export function spelling(name: string, { short, value }: Flags[string]): string {
  return `${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`
}

function rows(flags: Flags): (readonly [string, string])[] {
  return Object.entries(flags).map(([name, flag]) => [spelling(name, flag), flag.description] as const)
}

const WIDE = 30

function section(title: string, lines: readonly (readonly [string, string])[]): string {
  const width = Math.min(WIDE, Math.max(...lines.map(([left]) => left.length)))
  return [`${title}:`, ...lines.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`.trimEnd())].join('\n')
}
