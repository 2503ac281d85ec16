import type { Auth } from '../../../../jsonrpc/exchange.ts'
import type { Notification, Response } from '../../../../jsonrpc/message.ts'
import type { HttpContext, ValidMessage } from '../types.ts'
import type { ResumableStreams } from './resumable-streams.ts'
import type { HttpSession } from './session.ts'

/** The transport of a session. Its sessions cannot be used with the other transport. */
export type SessionTransport = 'streamable-http' | 'http-sse'

/** A session and its streams. */
export interface SessionEntry {
  readonly id: string
  readonly session: HttpSession
  readonly streams: ResumableStreams
}

/** Stores sessions: in the memory of this process, or in stores that several processes share. The local backend is synchronous. */
export interface SessionBackend<S extends SessionEntry> {
  /**
   * Creates a session that cannot be found until it is saved. This or `save` ends the session that has been idle longest if the limits
   * require it.
   *
   * @throws HttpError 503 if there are too many sessions, 429 if the caller has too many.
   */
  create(transport: SessionTransport, auth: Auth | undefined): S | Promise<S>
  /** Stores a created session. @throws HttpError 503, 429 as `create`. */
  save(entry: S): void | Promise<void>
  /** Drops a created session that is not saved. */
  discard(entry: S): void
  /** Returns a session of the caller. @throws HttpError 404 if there is none. The sessions of other callers are treated as missing. */
  find(id: string, transport: SessionTransport, auth: Auth | undefined): S | Promise<S>
  /** Handles a notification or response. @throws HttpError 503 if the process that waits for the response does not answer. */
  deliver(entry: S, message: Notification | Response): void | Promise<void>
  /**
   * Passes a message of an HTTP+SSE session to the process that has its stream. Returns false if that is this process.
   *
   * @throws HttpError 404.
   */
  forward?(id: string, received: ValidMessage, context: HttpContext): Promise<boolean>
  /** Answers a GET with a standalone stream, and starts to send change notifications on it. */
  listen(entry: S, context: HttpContext): void | Promise<void>
  /** Answers a GET with the events of a stream after `eventId`. @throws HttpError 400, 404, 503. */
  resume(entry: S, eventId: string, context: HttpContext): Promise<void>
  /** Ends a session and its streams. */
  end(entry: S): void | Promise<void>
  /** Returns the sessions of this process. */
  list(): S[]
  close(): void | Promise<void>
}
