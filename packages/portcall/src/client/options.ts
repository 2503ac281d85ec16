import type { Middleware } from '../jsonrpc/exchange.ts'
import type { JsonObject, Notification } from '../jsonrpc/message.ts'
import type { ClientCapabilities, Implementation, LoggingLevel } from '../protocol/types.ts'
import type { Store } from '../stores/store.ts'
import type { Answers } from './input.ts'

/** What a client has to tell its host. It never writes anywhere itself. */
export type ClientEvent =
  | { type: 'warning'; message: string }
  | { type: 'log'; level: LoggingLevel; logger?: string | undefined; data: unknown }
  /** A server sent something that is no message. */
  | { type: 'noise'; kind: string; text: string }
  | { type: 'lost'; error: unknown }
  | { type: 'restored' }

export interface ClientDeadlines {
  /** How long an answer may take, in milliseconds; progress begins it anew, and time that a human needs does not count. */
  requestMs: number
  /** The longest that a request may take whatever progress it makes. */
  totalMs: number
}

export const CLIENT_DEADLINES: ClientDeadlines = { requestMs: 60_000, totalMs: 600_000 }

export interface CacheOptions {
  /** Where results rest. Default: in memory. */
  readonly store?: Store
  /** Whose results they are; needed where callers with different rights share a store. */
  readonly partition?: string
  /** Gives a result that has gone stale when a fresh one cannot be had, for this long, in milliseconds. */
  readonly staleOnErrorMs?: number
}

/** How a client behaves; being there, the four answers declare what it can be asked. */
export interface ClientOptions extends Answers {
  /** Who this is, for display on the other side. */
  readonly info?: Implementation
  /** Declared beside what the answers declare: extensions, `sampling.tools`, `sampling.context`. */
  readonly capabilities?: ClientCapabilities
  readonly deadlines?: Partial<ClientDeadlines>
  /** Deadlines of their own for some methods: `{ 'tools/call': { requestMs: 300_000 } }`. */
  readonly methodDeadlines?: { readonly [method: string]: Partial<ClientDeadlines> }
  /** How often one call may come back with questions. Default: 10. */
  readonly maxRounds?: number
  /** How many pages a list may have. Default: 64. */
  readonly maxPages?: number
  /** Results with a lifetime are kept for it; `false` keeps none. */
  readonly cache?: CacheOptions | false
  /** Asks servers for log messages from this level on; they come as events. */
  readonly logLevel?: LoggingLevel
  readonly middleware?: readonly Middleware[]
  readonly onEvent?: (event: ClientEvent) => void
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
