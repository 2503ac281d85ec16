import { isRequestId, type Notification, type Request, type Response } from '../../jsonrpc/message.ts'
import type { Endpoint, Visit } from './endpoint.ts'
import type { Received } from './post.ts'
import { createSessions } from './sessions.ts'
import { createStateless } from './stateless.ts'
import type { HttpOptions } from './types.ts'

/** Serves the revisions that begin with a handshake. */
export interface Legacy {
  /** Takes one message in. @throws HttpError, RpcError when the request itself is wrong. */
  post(received: Received, visit: Visit): Promise<void>
  /** Takes an array of messages in. */
  batch(values: readonly unknown[], visit: Visit): Promise<void>
  get(visit: Visit): Promise<void> | void
  remove(visit: Visit): void
  /** Ends the streams that no running request needs. */
  drain(): void
  /** Ends everything. */
  close(): void
}

const MODES = {
  sessions: createSessions,
  stateless: createStateless,
  off: () => undefined,
}

/** Makes the half of an endpoint that speaks the legacy era, or nothing. */
export function createLegacy(endpoint: Endpoint, options: HttpOptions): Legacy | undefined {
  return MODES[options.legacy ?? 'sessions'](endpoint, options)
}
