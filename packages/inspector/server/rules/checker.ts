import type { ClassifiedMessage } from '../../../portcall/src/jsonrpc/message.ts'
import type { MessageStream, RuleViolation } from '../protocol/timeline.ts'
import type { WireRequest } from '../wire/message-state.ts'

/** The facts that the rules of messages look at. */
export interface MessageFacts {
  readonly direction: 'out' | 'in'
  readonly stream: MessageStream
  readonly classified: ClassifiedMessage
  /** The parsed JSON, or `undefined` if the text is not JSON. */
  readonly value: unknown
  readonly text: string
  /** The request that a response answers, or that a notification belongs to. */
  readonly request: WireRequest | undefined
  /** An earlier request of the same sender with the same id. */
  readonly earlier: WireRequest | undefined
  /** The progress of the request before this notification. */
  readonly lastProgress: number | undefined
  /** True if the message is one of several in a JSON array. */
  readonly isBatch?: boolean
}

/** Returns what is wrong with a message, if anything is. `revision` is the negotiated one, once it is known. */
export type MessageRule = (
  facts: MessageFacts,
  revision: string | undefined,
) => RuleViolation | readonly RuleViolation[] | undefined

/** Checks messages and HTTP exchanges against the rules of the specification. */
export interface RuleChecker {
  checkMessage(facts: MessageFacts): readonly RuleViolation[]
}
