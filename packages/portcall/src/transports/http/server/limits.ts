/** The limits of an HTTP endpoint, in the units that the names state: bytes, milliseconds or counts. */
export interface HttpLimits {
  /** Size of a request body. Larger ones get 413, and the connection is closed. */
  readonly maxBodyBytes: number
  /** Length of the request target (path and query). Longer ones get 414. */
  readonly maxTargetBytes: number
  /** Nesting depth of arrays and objects in a body. */
  readonly maxJsonDepth: number
  /** Messages in a batch, in revisions that have batches. */
  readonly maxBatchMessages: number
  /** Time allowed to receive a complete body; 408 after that. */
  readonly bodyTimeoutMs: number
  /** Longest pause while a body is received; 408 after that. For a body of up to 16 KiB that `httpHandler` receives, the time for all of it. */
  readonly bodyIdleTimeoutMs: number
  /** Concurrent requests, without open subscriptions. Further ones get 503. */
  readonly maxRequests: number
  /** Concurrent requests of one principal, without its open subscriptions. Further ones get 429. */
  readonly maxPrincipalRequests: number
  /** Concurrent requests of one session. Further ones get 429. */
  readonly maxSessionRequests: number
  /** Open `subscriptions/listen` streams. Further ones get 429. */
  readonly maxSubscriptions: number
  /** Open `subscriptions/listen` streams of one principal. Further ones get 429. */
  readonly maxPrincipalSubscriptions: number
  /** Legacy sessions. A further one replaces the session that has been idle longest; if all are busy, it gets 503. */
  readonly maxSessions: number
  /** Legacy sessions of one principal. A further one replaces the session that has been idle longest; if all are busy, it gets 429. */
  readonly maxPrincipalSessions: number
  /** GET streams of one session. A further one closes the oldest. */
  readonly maxSessionStreams: number
  /** A legacy session without requests or open streams ends after this time. */
  readonly sessionIdleTimeoutMs: number
  /** Ended streams of one session that stay resumable. A further one discards the oldest. */
  readonly maxResumableStreams: number
  /** With `stores`: a process that has not renewed its lease for this time is considered failed. */
  readonly nodeLeaseTtlMs: number
  /** With `stores` or an `eventLog`: an operation that takes longer fails. */
  readonly storeTimeoutMs: number
  /** Interval of keep-alive comments on open streams. */
  readonly heartbeatIntervalMs: number
  /** The reconnection delay sent to clients, for streams that break off. */
  readonly retryDelayMs: number
  /** Buffered bytes of a stream from which on writes return a promise, which resolves when the buffer has drained. */
  readonly highWaterMarkBytes: number
  /**
   * Buffered bytes of a stream from which on progress and log messages are dropped, and other messages except responses close the stream.
   */
  readonly maxBufferedBytes: number
  /** A stream is closed if its reader accepts no data for this time. */
  readonly writeTimeoutMs: number
}

const KIB = 1024
const MIB = 1024 * KIB
const SECOND = 1000
const MINUTE = 60 * SECOND

/** The default limits. */
export const HTTP_LIMITS: HttpLimits = {
  maxBodyBytes: 4 * MIB,
  maxTargetBytes: 8 * KIB,
  maxJsonDepth: 128,
  maxBatchMessages: 100,
  bodyTimeoutMs: 30 * SECOND,
  bodyIdleTimeoutMs: 10 * SECOND,
  maxRequests: 10_000,
  maxPrincipalRequests: 1000,
  maxSessionRequests: 256,
  maxSubscriptions: 1024,
  maxPrincipalSubscriptions: 256,
  maxSessions: 10_000,
  maxPrincipalSessions: 100,
  maxSessionStreams: 16,
  sessionIdleTimeoutMs: 30 * MINUTE,
  maxResumableStreams: 16,
  nodeLeaseTtlMs: 10 * SECOND,
  storeTimeoutMs: 5 * SECOND,
  heartbeatIntervalMs: 15 * SECOND,
  retryDelayMs: SECOND,
  highWaterMarkBytes: MIB,
  maxBufferedBytes: 4 * MIB,
  writeTimeoutMs: 30 * SECOND,
}

/** Default time for running requests to finish when an endpoint closes. */
export const DRAIN_TIMEOUT_MS: number = 10 * SECOND

/** Returns the limits among options; those that are missing or undefined have their defaults. */
export function resolveHttpLimits(options: Partial<HttpLimits>): HttpLimits {
  const limits = Object.entries(options).filter(([name, value]) => Object.hasOwn(HTTP_LIMITS, name) && value !== undefined)
  return { ...HTTP_LIMITS, ...Object.fromEntries(limits) }
}
