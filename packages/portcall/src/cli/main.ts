#!/usr/bin/env node
/** The command `portcall`: finds the command that is meant, runs it, and ends with its exit code. */
import { COMMANDS } from './commands.ts'
import { type Ending, EXIT } from './exit.ts'
import { divide } from './grammar/parse.ts'

process.stdout.on('error', () => process.exit())
const write = process.stdout.write.bind(process.stdout)
const interrupt = new AbortController()
process.exitCode = EXIT.broken
const ending = await run(process.argv.slice(2))
write('', () => process.exit(EXIT[ending]))

async function run(args: readonly string[]): Promise<Ending> {
  const [name = 'help'] = args
  const line = process.env.PORTCALL_COMPLETE
  if (line !== undefined) return complete(line)
  if (name === '--version') return print((await import('./version.ts')).VERSION)
  if (name === 'help' || name === '--help' || name === '-h') return help(args.slice(1))
  const listed = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  const isJson = divide(args).own.includes('--json')
  try {
    if (!listed) return await unknown(name)
    const { runCommand } = await import('./run.ts')
    process.once('SIGINT', () => interrupt.abort())
    return await runCommand(await listed.load(), { args: args.slice(1), isJson, signal: interrupt.signal })
  } catch (error) {
    if (interrupt.signal.aborted) return 'interrupted'
    const { tell } = await import('./tell.ts')
    return tell(error, isJson)
  }
}

async function help([name]: readonly string[]): Promise<Ending> {
  const { helpOf, overview } = await import('./help.ts')
  if (name === '--json') return print(await (await import('./catalogue.ts')).catalogue())
  const listed = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  return print(listed ? helpOf(await listed.load()) : overview())
}

/** Suggests what could come next on a line; never says why it cannot. */
async function complete(line: string): Promise<Ending> {
  const [{ suggest }, { wordsOf }] = await Promise.all([import('./completion/suggest.ts'), import('./completion/line.ts')])
  return print((await suggest(wordsOf(line)).catch(() => [])).join('\n'))
}

async function unknown(name: string): Promise<never> {
  const { noSuch } = await import('./grammar/nearest.ts')
  throw noSuch('command', name, Object.keys(COMMANDS))
}

function print(text: string): Ending {
  write(`${text}\n`)
  return 'done'
}
