/** Serving over stdin and stdout. */

import type { Serveable } from './server/surface.ts'
import { type ProcessChannelOptions, processChannel } from './transports/stdio/process.ts'
import { type ServeChannelOptions, serveChannel } from './transports/stdio/server.ts'

/** How stdin and stdout are served. */
export interface ServeStdioOptions extends ProcessChannelOptions, Pick<ServeChannelOptions, 'limits'> {
  /** How long calls that are running may take to finish when stdin has ended or SIGTERM came, in milliseconds. */
  readonly drainMs?: number
}

const DRAIN_MS = 5000

/**
 * Serves a server to the process that started this one. Everything that was accepted before stdin ended is answered, then the
 * process exits. stdout belongs to the protocol from now on: what else is printed there goes to stderr.
 */
export async function serveStdio(server: Serveable, options: ServeStdioOptions = {}): Promise<void> {
  const { drainMs = DRAIN_MS, limits } = options
  const channel = processChannel(options)
  await new Promise<void>((resolve) => {
    const onEnd = (): void => {
      server.close()
      setTimeout(() => process.exit(process.exitCode ?? 0), drainMs)
    }
    serveChannel(server, channel, { onEnd, onClose: resolve, ...(limits && { limits }) })
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.stdin.destroy())
  })
  await channel.close()
  process.exit(process.exitCode ?? 0)
}
