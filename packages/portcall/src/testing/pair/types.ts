import type { ConnectTarget } from '../../connect/target.ts'
import type { Channel } from '../../jsonrpc/channel.ts'

/** A server that is ready for a connection. */
export interface PairedServer {
  readonly target: ConnectTarget
  close(): Promise<void>
}

/** Returns a channel to use in place of another one. */
export type ChannelDecorator = (channel: Channel) => Channel
