import { backoffMs } from '../../../../../util/src/backoff.ts'
import type { HttpClientLimits } from './limits.ts'

const DEFAULT_RETRY_DELAY_MS = 1000
const MAX_BACKOFF_MS = 30_000

/**
 * Returns the delay before a stream that ended is requested again, in milliseconds: the delay that the server sent, within the limits. After
 * failures, up to half a minute of random delay is added, so that clients do not retry at the same time.
 */
export function streamRetryDelayMs(
  { minRetryDelayMs, maxRetryDelayMs }: HttpClientLimits,
  serverDelayMs: number = DEFAULT_RETRY_DELAY_MS,
  failures: number = 0,
): number {
  const delayMs = Math.min(Math.max(serverDelayMs, minRetryDelayMs), maxRetryDelayMs)
  const options = { firstMs: 2 * minRetryDelayMs, maxMs: MAX_BACKOFF_MS, jitter: 1 }
  return failures === 0 ? delayMs : delayMs + backoffMs(failures, options)
}
