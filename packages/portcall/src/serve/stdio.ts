import { assertNodeVersion } from '../../../util/src/assert-node-version.ts'
import { checkOptions, type OptionNames } from '../../../util/src/check-options.ts'
import { withTimeout } from '../../../util/src/timers.ts'
import { assertServer } from '../server/assert-server.ts'
import type { ServerLike } from '../server/types.ts'
import type { PipeLimits } from '../transports/stdio/pipe-channel.ts'
import { processChannel } from '../transports/stdio/process-channel.ts'
import { type ServeChannelOptions, serveChannel } from '../transports/stdio/server.ts'

assertNodeVersion()

/** Options of `serveStdio`. */
export interface ServeStdioOptions extends PipeLimits, Pick<ServeChannelOptions, 'limits'> {
  /**
   * How long running calls may take after stdin has ended or SIGTERM or SIGINT was received, in milliseconds. A handler that blocks the event loop
   * delays the exit until it returns. Default: 5,000.
   */
  readonly drainTimeoutMs?: number
}

const DRAIN_TIMEOUT_MS = 5000
/** How long a server may take to write what it keeps, and to end its programs. */
const CLOSE_TIMEOUT_MS = 1000
/** How long responses may take to be written when running calls have been abandoned. */
const LAST_FLUSH_MS = 100
const NAMES: OptionNames<ServeStdioOptions> = {
  maxMessageBytes: 1,
  maxJsonDepth: 1,
  maxBufferedBytes: 1,
  flushTimeoutMs: 1,
  limits: 1,
  drainTimeoutMs: 1,
}
const ADVICE = { port: 'Servers over HTTP use serve() of portcall/node', onEvent: 'It is an option of createServer()' }

/**
 * Serves a server to the process that started this one. When stdin ends, all accepted requests are answered, and the process exits. From now
 * on, stdout is reserved for the protocol; other output to it goes to stderr.
 */
export async function serveStdio(server: ServerLike, options: ServeStdioOptions = {}): Promise<void> {
  assertServer(server, 'serveStdio')
  checkOptions('serveStdio()', options, { names: NAMES, advice: ADVICE })
  const { drainTimeoutMs = DRAIN_TIMEOUT_MS, limits } = options
  const channel = processChannel(options)
  let closing: unknown
  await new Promise<void>((resolve) => {
    const onEnd = (): void => {
      closing = server.close()
      setTimeout(() => {
        // The client is gone, so this line is all that tells that a call has no response.
        console.error(
          `portcall: calls that ran, or whose responses were not read, ${drainTimeoutMs} ms after the client had left were abandoned (drainTimeoutMs)`,
        )
        peer.cancelAll()
        // What is left of a batch is sent first.
        setTimeout(() => void channel.close().then(exit))
        setTimeout(exit, LAST_FLUSH_MS)
      }, drainTimeoutMs)
    }
    const peer = serveChannel(server, channel, { onEnd, onClose: resolve, ...(limits && { limits }) })
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.stdin.destroy())
  })
  await channel.close()
  await withTimeout(Promise.resolve(closing), CLOSE_TIMEOUT_MS, () => new Error('The server does not close')).catch(() => {})
  exit()
}

const exit = (): never => process.exit(process.exitCode ?? 0)
