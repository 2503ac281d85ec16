/** Limits and timeouts of an HTTP client, in bytes, milliseconds or counts as the names say. */
export interface HttpClientLimits {
  /** Size of a JSON response. A larger one fails the request. The default has room for a file of 16 MiB in Base64. */
  readonly maxResponseBytes: number
  /** Size of one event of a stream. A larger one fails the request that the stream belongs to. */
  readonly maxEventBytes: number
  /** Size of the body of an HTTP error. The rest is not read. */
  readonly maxErrorBytes: number
  /** Nesting depth of arrays and objects in a message. */
  readonly maxJsonDepth: number
  /** Server requests handled at the same time. At the limit, nothing more is read. */
  readonly maxInboundRequests: number
  /** Time allowed to establish a connection; ignored on platforms that cannot observe it. */
  readonly connectTimeoutMs: number
  /** Time without data, in a JSON response or in a stream that has sent heartbeats, after which the connection counts as lost. */
  readonly idleTimeoutMs: number
  /** Time allowed to accept a message that has no response, such as a notification. */
  readonly notificationTimeoutMs: number
  /** How long the first call waits for the standalone stream, which may still open later. */
  readonly streamOpenTimeoutMs: number
  /** Time allowed for the DELETE that ends a session, when the client closes. */
  readonly sessionCloseTimeoutMs: number
  /** Minimum delay before a broken stream is requested again, whatever `retry` the server sends. */
  readonly minRetryDelayMs: number
  /** Maximum of the delay that the server may set with `retry`. */
  readonly maxRetryDelayMs: number
  /** Consecutive failures to resume the stream of a response before the request fails. */
  readonly maxResumeFailures: number
}

const KIB = 1024
const MIB = 1024 * KIB
const SECOND = 1000

/** The default limits. */
export const HTTP_CLIENT_LIMITS: HttpClientLimits = {
  maxResponseBytes: 24 * MIB,
  maxEventBytes: 4 * MIB,
  maxErrorBytes: 64 * KIB,
  maxJsonDepth: 128,
  maxInboundRequests: 256,
  connectTimeoutMs: 10 * SECOND,
  idleTimeoutMs: 60 * SECOND,
  notificationTimeoutMs: 30 * SECOND,
  streamOpenTimeoutMs: 2 * SECOND,
  sessionCloseTimeoutMs: 2 * SECOND,
  minRetryDelayMs: 250,
  maxRetryDelayMs: 300 * SECOND,
  maxResumeFailures: 5,
}
