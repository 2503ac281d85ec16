import type { JsonObject, Notification } from '../jsonrpc/message.ts'
import type { LoggingLevel } from '../protocol/types.ts'
import type { Store } from '../stores/store.ts'

/** What a client has to tell its host. It never writes anywhere itself. */
export type ClientEvent =
  | { type: 'warning'; message: string }
  | { type: 'log'; level: LoggingLevel; logger?: string | undefined; data: unknown }
  /** A server sent something that is no message. */
  | { type: 'noise'; kind: string; text: string }
  | { type: 'lost'; error: unknown }
  | { type: 'restored' }

/** How long a request may take, in milliseconds; `Infinity` is no limit. Beyond, it fails with `TimeoutError`. */
export interface ClientDeadlines {
  /** How long an answer may take, in milliseconds; progress begins it anew, and time that a human needs does not count. */
  requestMs: number
  /** The longest that a request may take whatever progress it makes. */
  totalMs: number
}

export const CLIENT_DEADLINES: ClientDeadlines = { requestMs: 60_000, totalMs: 600_000 }

/** Where the results that servers let a client keep rest, and for whom. */
export interface CacheOptions {
  /** Where results rest. Default: in memory. */
  readonly store?: Store
  /** An operation of the store that takes longer has failed, in milliseconds. Default: 1000. */
  readonly storeTimeoutMs?: number
  /** Whose results they are; needed where callers with different rights share a store. */
  readonly partition?: string
  /** Gives a result that has gone stale when a fresh one cannot be had, for this long, in milliseconds. */
  readonly staleOnErrorMs?: number
}

/** How far a request has come. */
export interface Progress {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

/** Options of one call. */
export interface CallOptions {
  readonly signal?: AbortSignal
  /** Hears of progress; servers are only asked for it when somebody does. */
  readonly onProgress?: (progress: Progress) => void
  readonly deadlines?: Partial<ClientDeadlines>
  /** More headers for the HTTP requests of this call. */
  readonly headers?: Readonly<Record<string, string>>
  /** More members of `_meta`: trace context, keys of extensions. */
  readonly meta?: JsonObject
}

/** What the caller of a long request hears while it is open. */
export interface RawOptions extends CallOptions {
  readonly onNotification?: (notification: Notification) => void
}
