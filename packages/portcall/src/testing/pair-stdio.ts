import { PassThrough } from 'node:stream'
import type { Served } from '../connect/target.ts'
import { pipeChannel } from '../transports/stdio/process.ts'
import { serveChannel } from '../transports/stdio/server.ts'
import type { Place } from './pair.ts'

/** Serves a server over two pipes in this process: the same bytes as with a child process, without one. */
export function openPipes(server: Served): Place {
  const [toServer, toClient] = [new PassThrough(), new PassThrough()]
  const channel = pipeChannel({ readable: toServer, writable: toClient, pauseWhenFull: true })
  serveChannel(server, channel)
  return { target: pipeChannel({ readable: toClient, writable: toServer }), close: () => channel.close() }
}
