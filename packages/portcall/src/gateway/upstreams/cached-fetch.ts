import { unref } from '../../../../util/src/timers.ts'

/** A fetched value, and until when it may be used without asking again. */
export interface Fetched {
  /** In milliseconds, as of `Date.now()`. */
  readonly freshUntil: number
}

/** A value, or the reason why it is missing or old. */
export interface Lookup<T> {
  /** The value; an older one if it could not be fetched in time. */
  readonly value: T | undefined
  /** The reason why the value is missing or old. */
  readonly error: unknown
}

export interface LookupOptions<T> {
  readonly fetch: () => Promise<T>
  /** Time to wait for the fetch, in milliseconds. The fetch continues afterwards. */
  readonly waitMs: number
  /** Called if the fetch ends after the wait. */
  readonly onArrived: () => void
}

/** One value that is fetched again when it is not fresh. Concurrent lookups share a fetch, and do not wait for a slow one again and again. */
export interface CachedFetch<T extends Fetched> {
  /** The last value that was fetched. */
  readonly last: T | undefined
  get(options: LookupOptions<T>): Promise<Lookup<T>>
  /** Makes the next lookup fetch the value again. */
  invalidate(): void
}

/** A server did not respond in time. */
export class ListTimeoutError extends Error {
  override readonly name = 'ListTimeoutError'
}

/** A fetch whose result is awaited. */
interface PendingFetch<T> {
  result: Promise<T>
  readonly startedAt: number
  hasBegun: boolean
  /** The value has changed since the fetch began. */
  isStale: boolean
  /** A lookup has stopped waiting for it. */
  isLate: boolean
}

const NEVER = new Promise<never>(() => {})

/**
 * Creates a cached fetch. Lookups share one deadline: the first waiter's. `waitingSince` returns its start for other lookups of the server, in
 * milliseconds as of `Date.now()`.
 */
export function createCachedFetch<T extends Fetched>(waitingSince: () => number | undefined = () => undefined): CachedFetch<T> {
  let error: unknown
  let pending: PendingFetch<T> | undefined
  let isInvalid = false

  /** Starts a fetch when the previous one has ended. A fetch in flight may return stale data, so another one starts after it. */
  const start = ({ fetch, onArrived }: LookupOptions<T>, previous: Promise<T> | undefined): PendingFetch<T> => {
    const begin = (): Promise<T> => {
      isInvalid = false
      current.hasBegun = true
      return fetch()
    }
    const current: PendingFetch<T> = { result: NEVER, startedAt: Date.now(), hasBegun: false, isStale: false, isLate: false }
    current.result = previous ? previous.then(begin, begin) : begin()
    const end = (): void => {
      if (pending === current) pending = undefined
      if (current.isLate) onArrived()
    }
    current.result.then(
      (value) => {
        cached.last = value
        error = undefined
        if (current.isStale) isInvalid = true
        end()
      },
      (reason: unknown) => {
        error = reason
        if (pending === current) pending = undefined
      },
    )
    return current
  }

  const cached: CachedFetch<T> & { last: T | undefined } = {
    last: undefined,
    async get(options) {
      const { last } = cached
      if (last && !isInvalid && last.freshUntil > Date.now()) return { value: last, error: undefined }
      if (!pending || pending.isStale) pending = start(options, pending?.result)
      const current = pending
      const waitMs = options.waitMs - (Date.now() - Math.min(current.startedAt, waitingSince() ?? Infinity))
      const timedOut = Symbol('timed out')
      const outcome = await withLimit(current.result, Math.max(0, waitMs), timedOut).catch(() => undefined)
      if (outcome === timedOut) {
        current.isLate = true
        const text = `No response within ${options.waitMs} ms`
        return {
          value: cached.last,
          error: error ?? new ListTimeoutError(waitingSince() === undefined ? text : `It is still starting. ${text}`),
        }
      }
      return outcome === undefined ? { value: cached.last, error } : { value: outcome as T, error: undefined }
    },
    invalidate() {
      isInvalid = true
      if (pending?.hasBegun) pending.isStale = true
    },
  }
  return cached
}

/** Settles with the promise, or resolves to `fallback` after `ms`. */
function withLimit<T, F>(promise: Promise<T>, ms: number, fallback: F): Promise<T | F> {
  if (ms === Infinity) return promise
  return new Promise((resolve, reject) => {
    const timer = unref(setTimeout(() => resolve(fallback), ms))
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
