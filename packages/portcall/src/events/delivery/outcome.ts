/** The outcomes of requests to webhooks. None of them contains anything that the endpoint sent. */

import { connectionFault, systemCodeOf } from '../../../../util/src/connection-faults.ts'
import type { EndpointError } from '../../protocol/events.ts'

/** The kind of a failure, as a subscriber learns it. */
export type DeliveryFailure = Exclude<EndpointError, 'challenge_failed'>

/** The outcome of one attempt to deliver. */
export type DeliveryOutcome =
  | {
      /** The endpoint has accepted the message. */
      readonly type: 'delivered'
    }
  | {
      /**
       * The message must not be sent again, and the subscription goes on. `gone`: the endpoint does not want it (410). `too_large`: it has more
       * than 256 KiB, or is larger than the endpoint accepts (413).
       */
      readonly type: 'gone' | 'too_large'
    }
  | {
      /** The attempt failed, and another one may succeed. */
      readonly type: 'retry'
      /** The kind of the failure. */
      readonly reason: DeliveryFailure
      /** How long the endpoint asks to wait, in milliseconds, up to an hour. */
      readonly retryAfterMs?: number
    }
  | {
      /** The URL is not allowed, or its host has an address that is not. Nothing was sent. */
      readonly type: 'refused'
      /** The rule, for the log of the operator. It may name an internal address, so subscribers must not see it. */
      readonly problem: string
    }

/** The outcome of the question whether an endpoint wants deliveries. */
export type VerificationOutcome =
  | {
      /** The endpoint has returned the challenge. */
      readonly type: 'verified'
    }
  | {
      /** The endpoint did not return the challenge. */
      readonly type: 'failed'
      /** `challenge_failed`: the endpoint was reached, but gave another answer. */
      readonly reason: EndpointError
    }
  | {
      /** The URL is not allowed, or its host has an address that is not. Nothing was sent. */
      readonly type: 'refused'
      /** The rule, for the log of the operator. It may name an internal address, so subscribers must not see it. */
      readonly problem: string
    }

const MAX_RETRY_AFTER_MS = 3_600_000
/** The start of a date of HTTP. Much else is a date for `Date.parse`: `-99999` is the year 99999. */
const WEEKDAY = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/
const TLS_CODES = /^(?:ERR_SSL|ERR_TLS|ERR_OSSL|CERT_)/

/** Returns the outcome that the status of a response means. */
export function deliveryOutcome({ status, headers }: Response, now: number): DeliveryOutcome {
  if (status >= 200 && status < 300) return { type: 'delivered' }
  if (status === 410) return { type: 'gone' }
  if (status === 413) return { type: 'too_large' }
  const retryAfterMs = retryAfterOf(headers.get('retry-after'), now)
  const reason = status >= 500 ? 'http_5xx' : 'http_4xx'
  return { type: 'retry', reason, ...(retryAfterMs !== undefined && { retryAfterMs }) }
}

/** Returns the kind of failure that an error of the HTTP client means. */
export function deliveryFailure(error: unknown): DeliveryFailure {
  const code = systemCodeOf(error)
  if (code === 'ETIMEDOUT' || code.endsWith('_TIMEOUT')) return 'timeout'
  const fault = connectionFault(code)?.code ?? ''
  return TLS_CODES.test(code) || fault.startsWith('certificate-') || fault.startsWith('tls-') ? 'tls_error' : 'connection_refused'
}

/** Reads the header `Retry-After`: seconds or a date (RFC 9110, section 10.2.3). */
function retryAfterOf(text: string | null, now: number): number | undefined {
  if (!text || text.length > 64) return undefined
  const date = WEEKDAY.test(text) ? Date.parse(text) - now : undefined
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : date
  return ms !== undefined && Number.isFinite(ms) ? Math.min(Math.max(0, ms), MAX_RETRY_AFTER_MS) : undefined
}
