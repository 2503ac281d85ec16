import { PassThrough } from 'node:stream'
import type { InProcessTarget } from '../../connect/target.ts'
import { pipeChannel } from '../../transports/stdio/pipe-channel.ts'
import { serveChannel } from '../../transports/stdio/server.ts'
import type { ChannelDecorator, PairedServer } from './types.ts'

/** Serves a server over two pipes in this process. They carry the same bytes as the pipes of a child process. */
export function openPipes(server: InProcessTarget, wrapChannel: ChannelDecorator = (channel) => channel): PairedServer {
  const [toServer, toClient] = [new PassThrough(), new PassThrough()]
  const serverChannel = pipeChannel({ readable: toServer, writable: toClient, pauseWhenFull: true })
  serveChannel(server, serverChannel)
  const clientChannel = pipeChannel({ readable: toClient, writable: toServer })
  return { target: wrapChannel(clientChannel), close: () => serverChannel.close() }
}
