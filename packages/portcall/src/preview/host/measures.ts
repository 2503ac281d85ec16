/** Facts about a view that was shown. */
import type { Message } from '../../jsonrpc/message.ts'

/** A message between the view and its host. */
export interface ViewMessage {
  /** Who sent it. */
  readonly from: 'view' | 'host'
  /** The message. */
  readonly message: Message
  /** Milliseconds since the view was shown. */
  readonly atMs: number
}

/** The reason why a view is not shown. */
export interface ViewFailure {
  /** The code of the `HostError`. */
  readonly code: string
  /** The message. */
  readonly message: string
}

/** The failure of a view whose scripts do not end. */
export const STUCK_VIEW: ViewFailure = { code: 'VIEW_STUCK', message: 'the view does not react: one of its scripts does not end' }

/** The size of a frame, px. */
export interface ViewSize {
  /** The width. */
  readonly width: number
  /** The height. */
  readonly height: number
}
