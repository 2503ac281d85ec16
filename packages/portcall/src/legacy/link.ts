import type { Caller, ExchangeContext } from '../jsonrpc/exchange.ts'
import type { JsonObject, Notification, Request, Response } from '../jsonrpc/message.ts'
import type { Revision } from '../protocol/revisions.ts'

/** Who asks over a link, and what is said beside the question, where the link can: its context, or nothing. */
export type Asker = Caller & Partial<Pick<ExchangeContext, 'send'>>

/** What a link delivers. */
export interface LinkHandlers {
  /** Answers a request of the server; the signal is aborted when the server gives it up. */
  onRequest(request: Request, signal: AbortSignal): Promise<Response>
  onNotification(notification: Notification): void
  /** What the server said on its own may have been lost: it could not reach this side for a while, and now it can again. */
  onGap?(): void
  /** Called once, when nothing will come any more. */
  onClose(reason: Error | undefined): void
}

/** The way to one server of the legacy era: requests and notifications both ways, whatever carries them. */
export interface LegacyLink {
  /** Sends a request; ids are the link's own. Rejects with `ConnectionLost`, or `SessionLost` when the server has forgotten the session. */
  ask(method: string, params: JsonObject | undefined, asker?: Asker): Promise<Response>
  notify(notification: Notification): Promise<void> | void
  /** Starts delivery; called once, before anything is sent. */
  receive(handlers: LinkHandlers): void
  /** The handshake is done: this revision is spoken from now on. Resolves when the server can reach this side on its own. */
  opened(revision: Revision): Promise<void>
  close(): Promise<void>
}
