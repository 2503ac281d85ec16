import { MAX_DELIVERY_BYTES } from '../../protocol/events.ts'

/** The limits and timings of events. */
export interface EventLimits {
  /** Maximum bytes of an event, with its id, name and time. */
  maxEventBytes: number
  /** Maximum bytes of the arguments of a subscription, as JSON. */
  maxArgumentBytes: number
  /** Maximum number of events in the result of one poll. */
  maxPollEvents: number
  /** Maximum number of open streams in this process. */
  maxStreams: number
  /** Maximum number of open streams of one principal in this process. Callers without authentication share one number per session. */
  maxPrincipalStreams: number
  /** How long a client should wait between two polls. Also how often streams look for events whose announcement was lost. */
  pollIntervalMs: number
  /** How often a quiet stream sends a heartbeat. */
  heartbeatIntervalMs: number
  /**
   * How long a stream lasts at most. Then it ends with a result, and the client opens another one at its last cursor. Proxies may keep a stream
   * open whose client is gone.
   */
  streamTtlMs: number
  /** Time allowed for one call of `match`, `transform` or `authorize`. */
  hookTimeoutMs: number
  /** Time allowed for an operation of the store. */
  storeTimeoutMs: number
}

/** Room for the cursor and the punctuation that a delivery adds to an event. */
const CURSOR_BYTES = 1024

export const EVENT_LIMITS: EventLimits = {
  maxEventBytes: MAX_DELIVERY_BYTES - CURSOR_BYTES,
  maxArgumentBytes: 16 * 1024,
  maxPollEvents: 100,
  maxStreams: 10_000,
  maxPrincipalStreams: 32,
  pollIntervalMs: 5000,
  heartbeatIntervalMs: 15_000,
  streamTtlMs: 3_600_000,
  hookTimeoutMs: 10_000,
  storeTimeoutMs: 5000,
}
