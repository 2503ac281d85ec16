/** What one HTTP endpoint takes at the most. Bytes, milliseconds or counts, as the names say. */
export interface HttpLimits {
  /** A request body; more is answered with 413 and the connection is closed. */
  readonly maxBodyBytes: number
  /** The path and query of a request; more is answered with 414. */
  readonly maxTargetBytes: number
  /** Nested arrays and objects in a body. */
  readonly maxJsonDepth: number
  /** Messages in one JSON array, where the revision has batches. */
  readonly maxBatchMessages: number
  /** A whole body has to be there by then, else 408. */
  readonly bodyTimeoutMs: number
  /** A body that pauses for so long is given up earlier, with 408. */
  readonly bodyPauseMs: number
  /** Requests that are being answered, in all; more are answered with 503. */
  readonly maxRequests: number
  /** Requests that one session has running; more are answered with 429. */
  readonly maxSessionRequests: number
  /** Open `subscriptions/listen` streams; more are answered with 429. */
  readonly maxSubscriptions: number
  /** Legacy sessions. Above it the one that has been quiet longest makes room; when all are busy, 503. */
  readonly maxSessions: number
  /** Legacy sessions of one principal. Above it the one that has been quiet longest makes room; when all are busy, 429. */
  readonly maxPrincipalSessions: number
  /** GET streams of one session; above it the oldest is closed. */
  readonly maxSessionStreams: number
  /** A legacy session ends when nothing was heard of it for so long. */
  readonly sessionIdleMs: number
  /** Ended streams of one session that can still be resumed; the oldest are forgotten. */
  readonly maxEndedStreams: number
  /** With `stores`: a process that the others have not heard of for so long is dead to them. */
  readonly nodeLeaseMs: number
  /** With `stores` or a `log`: an operation that takes longer has failed. */
  readonly storeTimeoutMs: number
  /** A comment goes out on each open stream so often. */
  readonly keepAliveMs: number
  /** How long a client waits before it comes back to a stream that broke off. */
  readonly retryMs: number
  /** From here on, writing to a stream resolves late: when its reader has caught up. */
  readonly backPressureBytes: number
  /** From here on, progress and log messages are dropped, and a stream that gets anything else but an answer is cut. */
  readonly maxBufferedBytes: number
  /** A stream whose reader takes nothing for so long is cut. */
  readonly stallMs: number
}

const KIB = 1024
const MIB = 1024 * KIB
const SECOND = 1000
const MINUTE = 60 * SECOND

/** The limits that hold when nothing else is said. */
export const HTTP_LIMITS: HttpLimits = {
  maxBodyBytes: 4 * MIB,
  maxTargetBytes: 8 * KIB,
  maxJsonDepth: 128,
  maxBatchMessages: 100,
  bodyTimeoutMs: 30 * SECOND,
  bodyPauseMs: 10 * SECOND,
  maxRequests: 10_000,
  maxSessionRequests: 256,
  maxSubscriptions: 1024,
  maxSessions: 10_000,
  maxPrincipalSessions: 100,
  maxSessionStreams: 16,
  sessionIdleMs: 30 * MINUTE,
  maxEndedStreams: 16,
  nodeLeaseMs: 10 * SECOND,
  storeTimeoutMs: 5 * SECOND,
  keepAliveMs: 15 * SECOND,
  retryMs: SECOND,
  backPressureBytes: MIB,
  maxBufferedBytes: 4 * MIB,
  stallMs: 30 * SECOND,
}
