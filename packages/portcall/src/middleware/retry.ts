import { backoffMs } from '../../../util/src/backoff.ts'
import { checkOptions, type OptionNames } from '../../../util/src/check-options.ts'
import { delay } from '../../../util/src/timers.ts'
import type { Exchange, ExchangeContext, Middleware } from '../jsonrpc/exchange.ts'
import { isObject, isSuccess, type Request, type Response } from '../jsonrpc/message.ts'
import { retryAfterMsOf, retryDelayOf } from '../jsonrpc/retryable.ts'
import { IDEMPOTENCY_KEY, idempotencyKey } from './idempotency-key.ts'

/** Options of `retry`. */
export interface RetryOptions {
  /** How often a request is sent at most. Default: 3. */
  readonly maxAttempts?: number
  /** The longest pause before the first retry, in milliseconds. It doubles with each retry. Default: 250. */
  readonly firstDelayMs?: number
  /** The longest pause, in milliseconds. A server that asks for a longer one fails the request. Default: 30,000. */
  readonly maxDelayMs?: number
  /**
   * Reports whether a request may be executed twice. Default: all requests except `tools/call`, and calls with an idempotency key. Return true for
   * calls of tools that only read.
   */
  readonly isIdempotent?: (request: Request) => boolean
  /**
   * Adds an idempotency key to each call that has none, so that all calls are retried. Set it only for servers that use the `idempotency`
   * middleware. Default: false.
   */
  readonly addKeys?: boolean
}

const NAMES: OptionNames<RetryOptions> = {
  maxAttempts: 1,
  firstDelayMs: 1,
  maxDelayMs: 1,
  isIdempotent: 'function',
  addKeys: 'boolean',
}
const ADVICE = { retries: 'Use "maxAttempts", which counts the first attempt too', attempts: 'Use "maxAttempts"' }

/**
 * Creates middleware for clients that sends a request again when the connection was lost, or when the server or a proxy is overloaded:
 * `connect(url, { middleware: [retry()] })`. Other errors, and requests that must not be executed twice, are not retried.
 *
 * @throws RangeError if `maxAttempts` is not a positive integer.
 */
export function retry(options: RetryOptions = {}): Middleware {
  checkOptions('retry()', options, { names: NAMES, advice: ADVICE })
  const { maxAttempts = 3, firstDelayMs = 250, maxDelayMs = 30_000, isIdempotent = isSafe, addKeys = false } = options
  if (!Number.isInteger(maxAttempts) || maxAttempts < 1) throw new RangeError('retry: maxAttempts must be a positive integer')
  return async (request, context, next) => {
    const keyed = addKeys ? withKey(request) : request
    if (!isIdempotent(keyed) && !isSafe(keyed)) return next(keyed, context)
    for (let attempt = 1; ; attempt++) {
      const outcome = await send(numbered(keyed, attempt), context, next)
      const waitMs =
        attempt < maxAttempts
          ? nextDelayOf(outcome, backoffMs(attempt - 1, { firstMs: firstDelayMs, maxMs: maxDelayMs }))
          : undefined
      if (waitMs === undefined || waitMs > maxDelayMs) return settle(outcome, request)
      await delay(waitMs, context.signal)
    }
  }
}

/** A response, or what was thrown instead. */
type Attempt = { readonly response: Response } | { readonly error: unknown }

function send(request: Request, context: ExchangeContext, next: Exchange): Promise<Attempt> {
  return next(request, context).then(
    (response) => ({ response }),
    (error: unknown) => ({ error }),
  )
}

/** Returns the response to the original request. @throws what the attempt threw. */
function settle(attempt: Attempt, { id }: Request): Response {
  if ('error' in attempt) throw attempt.error
  return { ...attempt.response, id }
}

/** Each attempt needs an id of its own, because the server may still be answering the one before. */
function numbered(request: Request, attempt: number): Request {
  return attempt === 1 ? request : { ...request, id: `${request.id}-retry-${attempt - 1}` }
}

function isSafe({ method, params }: Request): boolean {
  return method !== 'tools/call' || (isObject(params?._meta) && typeof params._meta[IDEMPOTENCY_KEY] === 'string')
}

function withKey(request: Request): Request {
  if (isSafe(request)) return request
  return { ...request, params: { ...request.params, _meta: { ...idempotencyKey(), ...(request.params?._meta as object) } } }
}

/** Returns how long to wait before the next attempt, or `undefined` if there must be none. */
function nextDelayOf(attempt: Attempt, backoff: number): number | undefined {
  const delayMs = 'response' in attempt ? delayOfResponse(attempt.response) : retryDelayOf(attempt.error)
  return delayMs === undefined ? undefined : Math.max(backoff, delayMs)
}

function delayOfResponse(response: Response): number | undefined {
  return isSuccess(response) ? undefined : retryAfterMsOf(response.error)
}
