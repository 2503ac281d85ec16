import { isSuccess, type Response } from '../../jsonrpc/message.ts'

/** The server does not know the session any more: what it remembered is gone, and a new handshake is needed. */
export class SessionLost extends Error {
  override readonly name = 'SessionLost'
  readonly code = 'SESSION_LOST'
  readonly retryable = true
}

const SERVER_ERROR = -32_000

/**
 * Whether a refusal with HTTP 400 means what 404 should say. Servers that keep their sessions themselves, as the examples of the first
 * official library do, answer so after a restart.
 */
export function namesLostSession(response: Response): boolean {
  if (isSuccess(response) || response.error.code !== SERVER_ERROR) return false
  return /\bsession\b|not initialized/i.test(response.error.message)
}
