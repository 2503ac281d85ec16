import type { ClientExtensionContext } from '../../client/extension.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import type { Inbox } from './inbox.ts'
import type { ClientEventsOptions, EventOptions, SavedEventState, SavedWebhook } from './types.ts'

/** A running subscription, as its delivery mode sees it. */
export interface EventSession {
  readonly request: ClientExtensionContext['request']
  readonly name: string
  readonly arguments: JsonObject
  readonly options: ClientEventsOptions & EventOptions
  readonly inbox: Inbox
  /** Aborted when the subscription is closed. */
  readonly signal: AbortSignal
  /** The state that an earlier process saved. */
  readonly saved: SavedEventState | undefined
  /** Called when the server has accepted the subscription, each time. */
  activate(): void
  /** Called with errors that the subscription survives. */
  onError(error: unknown): void
  /** Saves the webhook subscription. */
  saveWebhook(webhook: SavedWebhook | undefined): Promise<void>
  /** Ends the subscription, because the server has ended it. */
  terminate(error: unknown): void
}

/** A delivery mode of one subscription. */
export interface EventMode {
  /** Receives events until something fails, or it is time for another request. Resolves to be called again at once. @throws why it failed. */
  attempt(): Promise<void>
  /** Ends the subscription on the server. */
  close?(): Promise<void>
  /** Stops receiving in this process. The subscription on the server stays. */
  detach?(): void
}

/** Returns the params that say which events to send, and from where. */
export function selectionOf({ name, arguments: args, inbox, options }: EventSession): JsonObject {
  const { maxAgeMs } = options
  return { name, arguments: args, cursor: inbox.cursor, ...(maxAgeMs !== undefined && { maxAgeMs }) }
}
