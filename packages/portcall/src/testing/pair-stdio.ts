import { PassThrough } from 'node:stream'
import type { Served } from '../connect/target.ts'
import { pipeChannel } from '../transports/stdio/process.ts'
import { serveChannel } from '../transports/stdio/server.ts'
import type { AroundChannel, Place } from './place.ts'

/** Serves a server over two pipes in this process: the same bytes as with a child process, without one. */
export function openPipes(server: Served, around: AroundChannel = (client) => client): Place {
  const [toServer, toClient] = [new PassThrough(), new PassThrough()]
  const channel = pipeChannel({ readable: toServer, writable: toClient, pauseWhenFull: true })
  serveChannel(server, channel)
  const client = pipeChannel({ readable: toClient, writable: toServer })
  return { target: around(client), close: () => channel.close() }
}
