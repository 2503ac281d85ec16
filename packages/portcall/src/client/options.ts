import type { JsonObject, Notification } from '../jsonrpc/message.ts'
import type { LoggingLevel } from '../protocol/types.ts'
import type { Issue } from '../schema/standard.ts'
import type { KeyValueStore } from '../stores/store.ts'

/** An event of a client. The library never logs on its own. */
export type ClientEvent =
  | {
      /** A problem that the client worked around. */
      type: 'warning'
      /** The event, for a log. */
      message: string
      /** The method of the request that it is about, such as `tools/list`, if it is about one. */
      method?: string
    }
  | {
      /** The structured content of a tool does not match the details of its output schema, such as a format. The result is delivered. */
      type: 'output-mismatch'
      /** The name of the tool. */
      tool: string
      /** The mismatches, with their places. */
      issues: readonly Issue[]
    }
  | {
      /** The server sent a log message. */
      type: 'log'
      /** The severity. */
      level: LoggingLevel
      /** The part of the server that the message is from, if the server names it. */
      logger?: string | undefined
      /** The message: text, or any other JSON value. */
      data: unknown
    }
  | {
      /** The server sent data that is not a valid message, or a message that matches no request. */
      type: 'unexpected-message'
      /** `syntax`: not JSON. `size`, `depth`: beyond the limits. `message`: JSON, but not a message that is valid here. */
      kind: string
      /** The first 1000 characters. */
      text: string
    }
  | {
      /** The connection was lost. The next request reconnects. */
      type: 'disconnected'
      /** Why it was lost. */
      error: unknown
    }
  | {
      /** The connection was opened again. */
      type: 'reconnected'
    }

/** Timeouts of a request, in milliseconds; `Infinity` disables one. A request that exceeds one fails with `TimeoutError`. */
export interface ClientTimeouts {
  /** Time without a response or a progress notification. Time spent waiting for user input does not count. */
  requestTimeoutMs: number
  /** Total time, whatever progress the request makes. */
  totalTimeoutMs: number
}

export const CLIENT_TIMEOUTS: ClientTimeouts = { requestTimeoutMs: 60_000, totalTimeoutMs: 600_000 }

/** Options of the response cache. */
export interface CacheOptions {
  /** Storage for cached results. Default: memory. */
  readonly store?: KeyValueStore
  /** Timeout of a store operation, in milliseconds. Default: 1000. */
  readonly storeTimeoutMs?: number
  /** Separates cached results of callers with different rights that share a store. */
  readonly partition?: string
  /** How long after its expiry a result may replace a response that failed, in milliseconds. Default: 0. */
  readonly staleIfErrorTtlMs?: number
}

/** Progress of a request. */
export interface Progress {
  /** The progress so far. It increases with every notification. */
  readonly progress: number
  /** The value of `progress` at the end, if the server knows it. */
  readonly total?: number
  /** A description of the progress. */
  readonly message?: string
}

/** Options of one call. */
export interface CallOptions {
  /** Cancels the call, and notifies the server. */
  readonly signal?: AbortSignal
  /** Receives progress notifications. The server is asked for progress only when this is set. */
  readonly onProgress?: (progress: Progress) => void
  /** Timeouts of this call. Default: those of the client. */
  readonly timeouts?: Partial<ClientTimeouts>
  /** Additional headers of the HTTP requests of this call. */
  readonly headers?: Readonly<Record<string, string>>
  /** Additional members of `_meta`: trace context, keys of extensions. */
  readonly meta?: JsonObject
}

/** Options of `client.request`. */
export interface RequestOptions extends CallOptions {
  /** Receives the notifications of the request, except progress and log messages. */
  readonly onNotification?: (notification: Notification) => void
}
