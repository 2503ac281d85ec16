import type { Target } from '../connect/target.ts'
import type { Channel } from '../jsonrpc/channel.ts'

/** A server that can be connected to. */
export interface Place {
  readonly target: Target
  close(): Promise<void>
}

/** Puts something around a channel. */
export type AroundChannel = (channel: Channel) => Channel
