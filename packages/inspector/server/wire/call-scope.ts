import { AsyncLocalStorage } from 'node:async_hooks'
import type { Request, Response } from 'portcall/jsonrpc'

/** The purpose of a message on the wire. */
export interface CallScope {
  /** The operation of the user. */
  readonly operationId?: string
  /** The request of the newest revision that is being sent, and the entry of its first message on the wire. */
  readonly request?: Request
  /** Receives each response in the newest revision. */
  readonly onResponse?: (response: Response) => void
  /** Filled in by the recorder. */
  entryId?: number
}

/**
 * Connects a message on the wire with the operation and the request that caused it. They are many layers apart, and none of the layers
 * between them knows about recording.
 */
export const callScope: AsyncLocalStorage<CallScope> = new AsyncLocalStorage()
