/** The server does not know the session any more: what it remembered is gone, and a new handshake is needed. */
export class SessionLost extends Error {
  override readonly name = 'SessionLost'
  readonly code = 'SESSION_LOST'
  readonly retryable = true
}
