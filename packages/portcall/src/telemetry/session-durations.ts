import type { ExchangeContext } from '../jsonrpc/exchange.ts'
import type { Request } from '../jsonrpc/message.ts'
import { metaOf, originOf, type RequestOrigin } from '../logging/operation.ts'
import { sessionOf } from '../protocol/caller-identity.ts'
import { onSessionEnd } from '../protocol/session-end.ts'

/** Receives the duration of a session that has ended, in seconds. */
export type RecordSession = (seconds: number, origin: RequestOrigin) => void

/**
 * Measures the session that a request opens. Other requests open none: a session starts with the handshake of a client of an older revision, for
 * which the server gets `server/discover`.
 */
export function measureSession(request: Request, context: ExchangeContext, record: RecordSession): void {
  if (request.method !== 'server/discover') return
  const session = sessionOf(request)
  if (!session) return
  const startedAt = performance.now()
  const origin = originOf(metaOf(request), context)
  onSessionEnd(session, () => record((performance.now() - startedAt) / 1000, origin))
}
