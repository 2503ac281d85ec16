import type { Classified } from '../../jsonrpc/message.ts'
import type { Visit } from './endpoint.ts'

/** A message that is one. */
export type Received = Exclude<Classified, { kind: 'invalid' }>

/** Serves the revisions that begin with a handshake. */
export interface Legacy {
  /** Takes one message in. @throws HttpError, RpcError when the request itself is wrong. */
  post(received: Received, visit: Visit): Promise<void> | void
  /** Takes an array of messages in. */
  batch(values: readonly unknown[], visit: Visit): Promise<void>
  get(visit: Visit): Promise<void> | void
  remove(visit: Visit): Promise<void> | void
  /** Ends the streams that no running request needs. */
  drain(): void
  /** Ends everything. */
  close(): Promise<void> | void
}
