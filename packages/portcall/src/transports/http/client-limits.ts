/** What a client takes from an HTTP server at the most, and how long it waits. Bytes, milliseconds or counts, as the names say. */
export interface HttpClientLimits {
  /** An answer in one piece; more fails the request. */
  readonly maxResponseBytes: number
  /** One event of a stream; more fails the request that the stream belongs to. */
  readonly maxEventBytes: number
  /** The body of an answer that is an HTTP error; more is not read. */
  readonly maxErrorBytes: number
  /** Nested arrays and objects in a message. */
  readonly maxJsonDepth: number
  /** Requests of the server that are being answered; while there are as many, nothing more is read. */
  readonly maxAsked: number
  /** A connection has to be there by then, where the platform can tell. */
  readonly connectMs: number
  /** An answer in one piece that pauses for so long is lost, and so is a stream that was kept alive before. */
  readonly idleMs: number
  /** What is not answered but only accepted (notifications, answers) has to be accepted by then. */
  readonly acceptMs: number
  /** A standing stream is waited for so long before the first call; it may still open later. */
  readonly openMs: number
  /** A session that is left is ended by then, or it is left without a word. */
  readonly leaveMs: number
  /** A stream that broke off is not asked for again before that, whatever the server says. */
  readonly minRetryMs: number
  /** A stream that broke off is asked for again after that, however long the server wants it to take. */
  readonly maxRetryMs: number
  /** How often the stream with an answer is asked for again in vain before that answer is lost. */
  readonly maxResumeFailures: number
}

const KIB = 1024
const MIB = 1024 * KIB
const SECOND = 1000

/** The limits that hold when nothing else is said. */
export const HTTP_CLIENT_LIMITS: HttpClientLimits = {
  maxResponseBytes: 16 * MIB,
  maxEventBytes: 4 * MIB,
  maxErrorBytes: 64 * KIB,
  maxJsonDepth: 128,
  maxAsked: 256,
  connectMs: 10 * SECOND,
  idleMs: 60 * SECOND,
  acceptMs: 30 * SECOND,
  openMs: 2 * SECOND,
  leaveMs: 2 * SECOND,
  minRetryMs: 250,
  maxRetryMs: 300 * SECOND,
  maxResumeFailures: 5,
}
