#!/usr/bin/env node
/** The command `portcall`: finds the command to run, runs it, and sets the exit code. */
import { assertNodeVersion } from '../../util/src/assert-node-version.ts'
import { findCommand } from './command-line/find-command.ts'
import { COMMON_FLAGS, CONNECTION_FLAGS } from './command-line/flags.ts'
import { splitAtProgram } from './command-line/parse.ts'
import { COMMANDS } from './commands.ts'
import { EXIT_CODES, type ExitReason } from './exit-codes.ts'

/** How long a command may take to end after a signal. */
const MAX_END_MS = 5000

try {
  assertNodeVersion()
} catch (error) {
  console.error((error as Error).message)
  process.exit(EXIT_CODES.internal)
}
// The proxies that the environment names are used, unless it says otherwise.
process.env.NODE_USE_ENV_PROXY ??= '1'
process.stdout.on('error', () => process.exit())
const write = process.stdout.write.bind(process.stdout)
const interrupt = new AbortController()
process.exitCode = EXIT_CODES.internal
const exitReason = await run(process.argv.slice(2))
write('', () => process.exit(EXIT_CODES[exitReason]))

async function run(words: readonly string[]): Promise<ExitReason> {
  const line = process.env.PORTCALL_COMPLETE
  if (line !== undefined) return complete(line)
  const { name, args } = findCommand(words, { flags: { ...CONNECTION_FLAGS, ...COMMON_FLAGS }, isCommand: isCommandName })
  const { ownArgs } = splitAtProgram(args)
  if (name === undefined && ownArgs.some((word) => word === '--version' || word === '-V'))
    return print((await import('./version.ts')).VERSION)
  if (name === undefined || name === 'help') return help(ownArgs)
  const isJson = ownArgs.includes('--json')
  try {
    const entry = COMMANDS[name]
    if (!entry || !isCommandName(name)) return await throwUnknown(name)
    const { runCommand } = await import('./run-command.ts')
    process.once('SIGINT', () => interrupt.abort())
    for (const signal of ['SIGTERM', 'SIGHUP'] as const) interruptOn(signal)
    return await runCommand(await entry.load(), { args, isJson, signal: interrupt.signal })
  } catch (error) {
    if (interrupt.signal.aborted) return 'interrupted'
    const { reportError } = await import('./report-error.ts')
    return reportError(error, isJson)
  }
}

/**
 * Interrupts the command after a signal that it does not handle itself, so that the programs that it has started end too. It exits at once
 * after a second one.
 */
function interruptOn(signal: 'SIGTERM' | 'SIGHUP'): void {
  let isFirst = true
  process.on(signal, () => {
    const wasFirst = isFirst
    isFirst = false
    if (process.listenerCount(signal) > 1) return
    if (!wasFirst) process.exit(EXIT_CODES.interrupted)
    interrupt.abort()
    setTimeout(() => process.exit(EXIT_CODES.interrupted), MAX_END_MS).unref()
  })
}

function isCommandName(name: string): boolean {
  return name === 'help' || Object.hasOwn(COMMANDS, name)
}

/** Prints the help of a command, or of all commands. */
async function help(words: readonly string[]): Promise<ExitReason> {
  const { catalog, commandHelp, overview } = await import('./help.ts')
  if (words.includes('--json')) return print(await catalog())
  const entry = words.filter((word) => Object.hasOwn(COMMANDS, word)).map((word) => COMMANDS[word])[0]
  return print(entry ? commandHelp(await entry.load()) : overview())
}

/** Prints suggestions for the last word of a line, for the shell. Errors are not shown. */
async function complete(line: string): Promise<ExitReason> {
  const { splitLine, suggest } = await import('./completion.ts')
  return print((await suggest(splitLine(line)).catch(() => [])).join('\n'))
}

async function throwUnknown(name: string): Promise<never> {
  const { unknownCommand } = await import('./command-line/did-you-mean.ts')
  throw unknownCommand(name, Object.keys(COMMANDS))
}

function print(text: string): ExitReason {
  write(`${text}\n`)
  return 'success'
}
