#!/usr/bin/env node
import { assertNodeVersion } from '../util/assert-node-version.ts'
/** The command `portcall`: finds the command to run, runs it, and sets the exit code. */
import { splitAtProgram } from './command-line/parse.ts'
import { COMMANDS } from './commands.ts'
import { EXIT_CODES, type ExitReason } from './exit-codes.ts'

try {
  assertNodeVersion()
} catch (error) {
  console.error((error as Error).message)
  process.exit(EXIT_CODES.internal)
}
process.stdout.on('error', () => process.exit())
const write = process.stdout.write.bind(process.stdout)
const interrupt = new AbortController()
process.exitCode = EXIT_CODES.internal
const exitReason = await run(process.argv.slice(2))
write('', () => process.exit(EXIT_CODES[exitReason]))

async function run(args: readonly string[]): Promise<ExitReason> {
  const [name = 'help'] = args
  const line = process.env.PORTCALL_COMPLETE
  if (line !== undefined) return complete(line)
  if (name === '--version') return print((await import('./version.ts')).VERSION)
  if (name === 'help' || name === '--help' || name === '-h') return help(args.slice(1))
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  const isJson = splitAtProgram(args).ownArgs.includes('--json')
  try {
    if (!entry) return await throwUnknown(name)
    const { runCommand } = await import('./run-command.ts')
    process.once('SIGINT', () => interrupt.abort())
    return await runCommand(await entry.load(), { args: args.slice(1), isJson, signal: interrupt.signal })
  } catch (error) {
    if (interrupt.signal.aborted) return 'interrupted'
    const { reportError } = await import('./report-error.ts')
    return reportError(error, isJson)
  }
}

async function help([name]: readonly string[]): Promise<ExitReason> {
  const { catalog, commandHelp, overview } = await import('./help.ts')
  if (name === '--json') return print(await catalog())
  const entry = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  return print(entry ? commandHelp(await entry.load()) : overview())
}

/** Prints suggestions for the last word of a line, for the shell. Errors are not shown. */
async function complete(line: string): Promise<ExitReason> {
  const { splitLine, suggest } = await import('./completion.ts')
  return print((await suggest(splitLine(line)).catch(() => [])).join('\n'))
}

async function throwUnknown(name: string): Promise<never> {
  const { unknownName } = await import('./command-line/did-you-mean.ts')
  throw unknownName('command', name, Object.keys(COMMANDS))
}

function print(text: string): ExitReason {
  write(`${text}\n`)
  return 'success'
}
