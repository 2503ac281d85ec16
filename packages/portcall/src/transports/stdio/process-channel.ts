import { RUNTIME } from '../../../../util/src/runtime.ts'
import type { Channel } from '../../jsonrpc/channel.ts'
import { type PipeLimits, pipeChannel } from './pipe-channel.ts'

let isCreated = false

/**
 * Creates the channel of a server that was started by its client: messages over stdin and stdout of this process.
 *
 * From now on, stdout is reserved for the protocol. Other output to `process.stdout`, such as that of `console.log`, goes to stderr; the
 * first one also logs a warning with its origin. The channel closes when stdin ends; responses can be sent until `close`. If the client does
 * not read, stdin is paused.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports
 *
 * @throws Error if it is called twice in one process.
 */
export function processChannel(options: PipeLimits = {}): Channel {
  if (isCreated) throw new Error('stdin and stdout of this process are already in use by a channel')
  isCreated = true
  const { stdin, stdout } = process
  const channel = pipeChannel({
    ...options,
    readable: stdin,
    writable: stdout,
    pauseWhenFull: true,
  })
  process.stderr.on('error', () => {})
  if (stdout.bytesWritten > 0) process.stderr.write(WRITTEN_BEFORE)
  stdout.write = createRedirect()
  redirectConsole()
  return channel
}

const WARNING = `
[portcall] WARNING: something other than the protocol writes to stdout. Stdout is reserved for messages to the client, so this text and
[portcall] all further text go to stderr. Use console.error instead of console.log, and configure your logger to write to stderr.
[portcall] The first text was written by:
`

const WRITTEN_BEFORE = `[portcall] WARNING: something was written to stdout before the server started. Stdout is reserved for messages to the client, and
[portcall] some clients refuse any other text. Use console.error instead of console.log.
`

/** The functions of the console that write to stdout. On Bun and Deno, they do not use \`process.stdout\`. */
const CONSOLE_OUTPUT = ['log', 'info', 'debug'] as const

function redirectConsole(): void {
  if (RUNTIME === 'node') return
  for (const name of CONSOLE_OUTPUT) console[name] = (...args: unknown[]) => console.error(...args)
}

/** Creates the replacement of `stdout.write`, which writes to stderr. */
function createRedirect(): typeof process.stdout.write {
  let hasWarned = false
  return ((...args: Parameters<typeof process.stderr.write>): boolean => {
    if (!hasWarned) {
      hasWarned = true
      const { stack = '' } = new Error()
      const callers = stack
        .split('\n')
        .slice(2)
        .filter((line) => !line.includes('node:internal'))
      process.stderr.write(`${WARNING}${callers.slice(0, 4).join('\n')}\n\n`)
    }
    return process.stderr.write(...args)
  }) as typeof process.stdout.write
}
