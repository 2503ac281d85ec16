import type { JsonObject } from '../../jsonrpc/message.ts'

/** Events that a host receives. */
export interface ChannelSubscription {
  /** The name of the event type, as the gateway lists it. `*` stands for any characters: `ci__*`. */
  readonly event: string
  /** The arguments of the subscription. Default: none. */
  readonly arguments?: JsonObject
}

/** Options of `claudeChannel`. */
export interface ClaudeChannelOptions {
  /** The events that the host receives. */
  readonly subscriptions: readonly ChannelSubscription[]
  /** Maximum number of messages in a minute. Further ones wait. Default: 30. */
  readonly maxPerMinute?: number
  /** The hosts, by the name that they give when they connect. Default: `claude-code`. */
  readonly hosts?: readonly string[]
  /** Called with what goes wrong, such as an event type that does not exist. What it throws is ignored. Default: nothing is reported. */
  readonly onError?: (error: unknown) => void
}
