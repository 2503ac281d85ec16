/**
 * Errors of requests that may succeed later. What is thrown says so with `retryable`. JSON-RPC errors say so with the member `retryAfterMs` of
 * `data`, which also means that the request had no effect, or may have it twice.
 */
import { delay } from '../../../util/src/timers.ts'
import { RpcError } from './errors.ts'
import { type ErrorBody, type Failure, isObject } from './message.ts'

/** The member `data` of errors that may pass. */
export interface RetryData {
  /** How long to wait before the request is sent again, in milliseconds. */
  readonly retryAfterMs: number
}

const RETRY_AFTER_MS = 1000

/** Returns `data` for a request that may be sent again. The default delay is for what may be back at any time. */
export function retryData(retryAfterMs: number = RETRY_AFTER_MS): RetryData {
  return { retryAfterMs: Math.max(RETRY_AFTER_MS, retryAfterMs) }
}

/** Marks the response to a request that failed because this server cannot answer anything of this kind at the moment. Not in messages. */
const UNAVAILABLE: unique symbol = Symbol('unavailable')

/** Marks a response, so that transports with a status for it send that. */
export function markUnavailable(response: Failure): Failure {
  Object.assign(response.error, { [UNAVAILABLE]: true })
  return response
}

export function isUnavailable({ error }: Failure): boolean {
  return UNAVAILABLE in error
}

/** Returns how long to wait before a request is sent again that was answered with this error, or `undefined` if that does not help. */
export function retryAfterMsOf({ data }: Pick<ErrorBody, 'data'>): number | undefined {
  return isObject(data) && typeof data.retryAfterMs === 'number' ? data.retryAfterMs : undefined
}

/**
 * Returns how long to wait at least before a request is sent again that failed with this error: 0 if nobody has asked for a delay, `undefined` if
 * that does not help.
 */
export function retryDelayOf(error: unknown): number | undefined {
  if (error instanceof RpcError) return retryAfterMsOf(error)
  if (!isObject(error) || error.retryable !== true) return undefined
  const seconds = typeof error.header === 'function' ? Number(error.header('retry-after')) : Number.NaN
  return Number.isFinite(seconds) ? seconds * 1000 : 0
}

export interface RetryWhileUnavailableOptions {
  /** How long the request is repeated. */
  readonly timeoutMs: number
  /** The shortest pause between two attempts. */
  readonly intervalMs: number
  readonly signal: AbortSignal | undefined
}

/**
 * Sends a request that may run twice, again and again while it fails with errors that may pass.
 *
 * @throws the last error; the abort reason of the signal.
 */
export async function retryWhileUnavailable<T>(send: () => Promise<T>, options: RetryWhileUnavailableOptions): Promise<T> {
  const { timeoutMs, intervalMs, signal } = options
  const startedAt = performance.now()
  for (;;) {
    try {
      return await send()
    } catch (error) {
      const delayMs = retryDelayOf(error)
      if (delayMs === undefined || performance.now() - startedAt > timeoutMs) throw error
      await delay(Math.min(Math.max(intervalMs, delayMs), timeoutMs), signal)
    }
  }
}
