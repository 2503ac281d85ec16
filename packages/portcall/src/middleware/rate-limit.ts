import { createKeyedMutex } from '../../../util/src/async.ts'
import { checkOptions, type OptionNames } from '../../../util/src/check-options.ts'
import type { Middleware } from '../jsonrpc/exchange.ts'
import { createDefaultStore } from '../stores/open-store.ts'
import type { KeyValueStore } from '../stores/store.ts'
import { refuse } from './refusal.ts'
import { createKeyLookup, type RequestSelection, SELECTION_NAMES } from './selection.ts'

/** Options of `rateLimit`. */
export interface RateLimitOptions extends RequestSelection {
  /** The number of requests that are allowed in each interval. They may come all at once. */
  readonly limit: number
  /** The length of the interval in milliseconds. Default: 60,000. */
  readonly intervalMs?: number
  /** Where requests are counted. Pass a shared store to apply the limit across processes, whose clocks must agree. Default: in memory; in workers, the store that they share. */
  readonly store?: KeyValueStore
  /** Distinguishes this limit from others in the same store. Default: `rate-limit`. */
  readonly name?: string
}

/** The outcome of counting one request. */
interface Admission {
  readonly allowed: boolean
  /** When the next request is allowed, in milliseconds from now. */
  readonly retryAfterMs: number
}

const MAX_ATTEMPTS = 100

const NAMES: OptionNames<RateLimitOptions> = {
  ...SELECTION_NAMES,
  limit: 'number',
  intervalMs: 1,
  store: 'store',
  name: 'text',
}
const ADVICE = { max: 'Use "limit"', window: 'Use "intervalMs"', windowMs: 'Use "intervalMs"', stores: 'Use "store"' }
const REQUIRED = { limit: 'Pass the number of requests that are allowed in each interval' }

/**
 * Creates middleware that limits how often a caller may send requests. It is a token bucket: `limit` requests may come at once, and used
 * capacity is restored evenly over `intervalMs`. Each round of a call that requests input counts as a request. Requests fail while the
 * store fails.
 *
 * @throws RangeError if `limit` or `intervalMs` is not positive.
 */
export function rateLimit(options: RateLimitOptions): Middleware {
  checkOptions('rateLimit()', options, { names: NAMES, advice: ADVICE, required: REQUIRED })
  const { limit, intervalMs = 60_000, name = 'rate-limit', store = createDefaultStore() } = options
  if (!(limit > 0) || !(intervalMs > 0)) throw new RangeError('rateLimit: limit and intervalMs must be positive numbers')
  const keyOf = createKeyLookup(options)
  const admit = createBucket({ store, limit, intervalMs })
  return async (request, context, next) => {
    const key = keyOf(request, context)
    if (key === undefined) return next(request, context)
    const { allowed, retryAfterMs } = await admit(`portcall:${name}:${key}`)
    if (allowed) return next(request, context)
    const message = `Rate limit exceeded. Try again in ${Math.ceil(retryAfterMs / 1000)} s`
    return refuse(request, { message, data: { retryAfterMs } })
  }
}

interface BucketOptions {
  readonly store: KeyValueStore
  readonly limit: number
  readonly intervalMs: number
}

/** How much of a bucket was in use at a time. */
interface BucketState {
  readonly at: number
  /** The number of requests; a fraction after a part of one has been restored. */
  readonly used: number
}

/** Rounding errors of fractions do not count as requests. */
const TOLERANCE = 1e-6

/**
 * Creates the function that counts a request. Counts instead of times are stored, because times are so large that a fraction of a
 * millisecond is rounded.
 */
function createBucket({ store, limit, intervalMs }: BucketOptions): (key: string) => Promise<Admission> {
  const stepMs = intervalMs / limit
  // Requests of this process take turns, so that only other processes can interfere with a compare-and-set.
  const mutex = createKeyedMutex()
  const tryAdmit = async (key: string): Promise<Admission | undefined> => {
    const expected = await store.get(key)
    const { at, used: before } = parseState(expected)
    const now = Math.max(at, Date.now())
    const used = Math.max(0, before - (now - at) / stepMs) + 1
    if (used > limit + TOLERANCE) return { allowed: false, retryAfterMs: Math.ceil((used - limit) * stepMs) }
    const ttlMs = Math.ceil(used * stepMs)
    return (await store.compareAndSet(key, { expected, value: `${now} ${used}`, ttlMs }))
      ? { allowed: true, retryAfterMs: 0 }
      : undefined
  }
  return (key) =>
    mutex.run(key, async () => {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const admission = await tryAdmit(key)
        if (admission) return admission
      }
      return { allowed: false, retryAfterMs: Math.ceil(stepMs) }
    })
}

function parseState(text = '0 0'): BucketState {
  const [at = 0, used = 0] = text.split(' ').map(Number)
  return { at, used }
}
