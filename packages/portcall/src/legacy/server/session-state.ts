import { LATEST_LEGACY, type Revision } from '../../protocol/revisions.ts'
import type { ClientCapabilities, Implementation, LoggingLevel } from '../../protocol/types.ts'

/** The state of a session, as plain JSON. */
export interface SessionState {
  /** The protocol version. */
  revision: string
  clientInfo?: Implementation
  clientCapabilities: ClientCapabilities
  logLevel?: LoggingLevel
  /** True if `initialize` was answered. */
  initialized: boolean
  /** The URIs of the subscribed resources. */
  subscriptions: string[]
}

/** Returns the state of a session before its handshake. */
export function createSessionState(revision: Revision = LATEST_LEGACY): SessionState {
  return { revision: revision.version, clientCapabilities: {}, initialized: false, subscriptions: [] }
}

/** Changes the state of a session. May run several times, each time on a fresh copy. */
export type StateChange = (state: SessionState) => void
