import type { Era } from '../../connect/era-cache.ts'

/**
 * `idle`: not used yet. `ready`: the last connection succeeded. `failing`: the server is not available; the gateway tries again on its own.
 */
export type UpstreamState = 'idle' | 'connecting' | 'ready' | 'failing' | 'disabled' | 'closed'

/** The state of one server of a gateway. */
export interface UpstreamStatus {
  /** The state of the server. */
  readonly state: UpstreamState
  /** The era of the server: the newest revision, or an older one over either HTTP transport or stdio. Absent until it is known. */
  readonly era?: Era
  /** The protocol version of the last connection, such as `2025-11-25`. Absent until the server was connected. */
  readonly protocolVersion?: string
  /** The reason why the server is not available. */
  readonly error?: string
  /** The kind of this reason, such as `token-missing`, `connection-refused` or the code of an error. */
  readonly situation?: string
  /** Time of the next attempt, in milliseconds since 1970. */
  readonly nextAttemptAt?: number
  /** The number of failures since the last success. */
  readonly failures: number
  /** The number of open connections, including child processes. */
  readonly connections: number
  /** The number of requests that wait for a response. */
  readonly inFlight: number
  /** The number of requests so far. */
  readonly requests: number
  /** The number of items that were listed last, by kind. Absent until they were listed. */
  readonly items: { readonly [kind: string]: number }
  /**
   * Fetch time of the oldest list that is offered while the server starts or is unavailable, in milliseconds since 1970. Absent if all lists
   * come from the server.
   */
  readonly keptSince?: number
  /** An estimate of the tokens that its tools take in the context of a model. Absent until they were listed. */
  readonly toolTokens?: number
}

/** The state of a gateway. It contains no secrets. */
export interface GatewayStatus {
  /** The servers by name, in their order. */
  readonly servers: { readonly [server: string]: UpstreamStatus }
  /** The number of open `subscriptions/listen` requests. */
  readonly subscriptions: number
}
