import type { AbortSource } from '../../../../util/src/abort.ts'
import type { ExchangeContext } from '../../jsonrpc/exchange.ts'
import type { JsonObject, Notification, Request, Response } from '../../jsonrpc/message.ts'
import type { Revision } from '../../protocol/revisions.ts'

/** The members of an exchange context that sending a request needs: how it is aborted, its additional HTTP headers, and its caller. */
export type OutgoingContext = AbortSource & Partial<Pick<ExchangeContext, 'outgoing' | 'auth'>>

/** Receives what a server sends. */
export interface ConnectionHandlers {
  /**
   * Answers a request of the server. The signal is aborted when the server cancels it. `origin` is the context of the request that this
   * one belongs to, if the connection knows it.
   */
  onRequest(request: Request, signal: AbortSignal, origin?: OutgoingContext): Promise<Response>
  onNotification(notification: Notification, origin?: OutgoingContext): void
  /** Called when the server can send messages of its own again after an interruption. Messages may have been lost meanwhile. */
  onGap?(): void
  /** Called once, when the connection has ended. */
  onClose(reason: Error | undefined): void
}

/** A connection to a server of a legacy revision, over any transport. It carries requests and notifications in both directions. */
export interface LegacyConnection {
  /** True if the server usually sends its own messages in the response to the request that they belong to. Default: false. */
  readonly attributesMessages?: boolean
  /** The id of the session, once the handshake has ended, if the server has assigned one. */
  readonly sessionId?: string | undefined
  /**
   * Sends a request. The connection chooses its ID.
   *
   * @throws ConnectionLostError; SessionExpiredError when the server has ended the session.
   */
  request(method: string, params: JsonObject | undefined, context?: OutgoingContext): Promise<Response>
  notify(notification: Notification): Promise<void> | void
  /** Starts to deliver messages. Call it once, before you send anything. */
  receive(handlers: ConnectionHandlers): void
  /** Reports that the handshake negotiated this revision. Resolves when the server can send messages of its own. */
  initialized(revision: Revision): Promise<void>
  close(): Promise<void>
}
